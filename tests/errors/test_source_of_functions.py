"""Functions whose source is missing, or is not what is running."""

import importlib
import linecache
import os
import re

import numpy as np
import pytest

from srcgrad import SourceError, grad

TEXT = "import numpy as np\n\n\ndef loss(x):\n    return np.sum(x * x)\n"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that writes a module, and imports it the first time."""
    monkeypatch.syspath_prepend(str(tmp_path))
    file = tmp_path / "edited_module.py"

    def write(text):
        file.write_text(text)
        os.utime(file, ns=(0, len(text)))  # another time for another text, whatever the clock does
        linecache.checkcache()
        return importlib.import_module("edited_module")

    yield write
    importlib.sys.modules.pop("edited_module", None)


def message_of(function, file="edited_module.py"):
    """Return the message of a refusal for its source, with FILE for the file."""
    with pytest.raises(SourceError) as caught:
        grad(function)(np.ones(2))
    assert isinstance(caught.value, OSError)
    return re.sub(rf"\S*{re.escape(file)}", "FILE", str(caught.value))


def test_function_made_by_exec():
    namespace = {"np": np}
    exec(compile(TEXT, "<made>", "exec"), namespace)
    assert message_of(namespace["loss"]) == (
        "<made>, line 4, in loss: there is no source to differentiate\n"
        "    why:  it was defined at the prompt, by exec, or its file is gone, so its text was "
        "not kept\n"
        "    hint: pass the source: text='def ...', or put the definition in a file"
    )


def test_function_made_by_exec_with_its_text():
    namespace = {"np": np}
    exec(TEXT, namespace)
    np.testing.assert_array_equal(grad(namespace["loss"], text=TEXT)(np.ones(2)), [2.0, 2.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            TEXT.replace("x * x", "x * 3.0"),
            "in loss: text= is not what is running\n"
            "    why:  the derivative of other code than that which runs would be wrong\n"
            "    hint: pass the definition exactly as it was executed",
        ),
        (
            TEXT.replace("loss", "other"),
            "in loss: text= does not define loss\n"
            "    why:  the derivative of other code than that which runs would be wrong\n"
            "    hint: pass the definition exactly as it was executed",
        ),
        (
            "def loss(x)\n    return x\n",
            "FILE, line 1, in loss: text= is not Python (expected ':')\n"
            "        def loss(x)\n"
            "        ^^^^^^^^^^^\n"
            "    hint: pass the definition as it was executed",
        ),
    ],
    ids=["other code", "other name", "no Python"],
)
def test_text_that_does_not_fit(text, message):
    namespace = {"np": np}
    exec(TEXT, namespace)
    with pytest.raises(SourceError) as caught:
        grad(namespace["loss"], text=text)(np.ones(2))
    assert re.sub(r"<text \d+>", "FILE", str(caught.value)) == message


def test_file_edited_after_import(module):
    loss = module(TEXT).loss
    module(TEXT.replace("x * x", "x * 3.0"))
    assert message_of(loss) == (
        "FILE, line 4, in loss: the file was edited after import: what it says is not what is "
        "running\n"
        "        def loss(x):\n"
        "        ^^^^^^^^^^^^\n"
        "    why:  the derivative of other code than that which runs would be wrong\n"
        "    hint: import the file again (importlib.reload, or a new process)"
    )


def test_definition_that_is_gone(module):
    loss = module(TEXT).loss
    module("import numpy as np\n")
    assert message_of(loss) == (
        "FILE, line 4, in loss: the file was edited after import: the definition is not there "
        "any more\n"
        "    why:  the derivative of other code than that which runs would be wrong\n"
        "    hint: import the file again (importlib.reload, or a new process)"
    )


def test_file_that_is_no_python_any_more(module):
    loss = module(TEXT).loss
    module(TEXT.replace("(x):", "(x)"))
    assert message_of(loss) == (
        "FILE, line 4, in loss: the file was edited after import and is not Python now "
        "(expected ':')\n"
        "        def loss(x)\n"
        "        ^^^^^^^^^^^\n"
        "    hint: mend it, then import it again (importlib.reload, or a new process)"
    )


def test_file_that_is_edited_and_imported_again(module):
    edited = module(TEXT)
    old = grad(edited.loss)
    np.testing.assert_array_equal(old(np.ones(2)), [2.0, 2.0])
    module(TEXT.replace("x * x", "x * 3.0"))
    loss = importlib.reload(edited).loss
    np.testing.assert_array_equal(grad(loss)(np.ones(2)), [3.0, 3.0])


def test_edit_elsewhere_in_the_file_does_no_harm(module):
    loss = module(TEXT).loss
    module("# a comment\n" + TEXT + "\n\nlate = 1\n")
    np.testing.assert_array_equal(grad(loss)(np.ones(2)), [2.0, 2.0])
