"""`srcgrad/syntax/private.py`: private names, written out as Python compiles them."""

import ast

import gast
import pytest

from srcgrad.syntax.private import private_name, write_private_names

BODY = """\
def f(self, __p=1, *, __q=2):
    __loc = self.__a + __p
    def __inner(): return __loc
    import __mod
    from a import __n as __m
    g(__x=1)
    global __gg
    try: pass
    except E as __e: pass
    class __D:
        __z = self.__w
    __ok__ = __gg
"""
WANTED = """\
def f(self, _C__p=1, *, _C__q=2):
    _C__loc = self._C__a + _C__p
    def _C__inner(): return _C__loc
    import _C__mod
    from a import _C__n as _C__m
    g(__x=1)
    global _C__gg
    try: pass
    except E as _C__e: pass
    class _C__D:
        _D__z = self._D__w
    __ok__ = _C__gg
"""


def test_every_kind_of_name_is_written_out_and_keywords_are_not():
    tree = gast.parse(BODY).body[0]
    write_private_names(tree, "C")
    assert gast.dump(tree) == gast.dump(gast.parse(WANTED).body[0])


@pytest.mark.parametrize("owner", ["C", "_C", "__C"])
def test_names_come_out_as_python_compiles_them(owner):
    text = f"class {owner}:\n    def f(self): return self.__x"
    names = [
        node.co_names
        for outer in compile(text, "f", "exec").co_consts
        if hasattr(outer, "co_consts")
        for node in outer.co_consts
        if hasattr(node, "co_names")
    ]
    assert names == [(private_name("__x", owner),)]


def test_a_class_of_underscores_changes_nothing():
    assert private_name("__x", "__") == "__x"


def test_a_name_of_its_own_is_kept():
    tree = gast.ast_to_gast(ast.parse("def __f(): return __f").body[0])
    write_private_names(tree, "C")
    assert tree.name == "__f" and tree.body[0].value.id == "_C__f"
