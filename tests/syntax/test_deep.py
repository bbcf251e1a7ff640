"""`srcgrad/syntax/deep.py`: room for deep expressions."""

import sys
import threading

import pytest

from srcgrad.syntax.deep import ROOM, deep


@pytest.fixture(autouse=True)
def restore():
    before = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(before)


def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


def test_there_is_room_inside_and_none_outside():
    with deep():
        assert depth(5000) == 5000
    with pytest.raises(RecursionError):
        depth(5000)


def test_nested_uses_raise_the_limit_once():
    before = sys.getrecursionlimit()
    with deep(), deep():
        assert sys.getrecursionlimit() == before + ROOM
    assert sys.getrecursionlimit() == before


def test_a_limit_that_somebody_else_has_set_is_left_alone():
    with deep():
        sys.setrecursionlimit(50_000)
    assert sys.getrecursionlimit() == 50_000


def test_the_limit_is_restored_after_an_error():
    before = sys.getrecursionlimit()
    with pytest.raises(ZeroDivisionError), deep():
        raise ZeroDivisionError
    assert sys.getrecursionlimit() == before


def test_the_last_thread_out_restores():
    before = sys.getrecursionlimit()
    inside, go = threading.Event(), threading.Event()

    def other():
        with deep():
            inside.set()
            go.wait(10)

    thread = threading.Thread(target=other)
    with deep():
        thread.start()
        assert inside.wait(10)
    assert sys.getrecursionlimit() == before + ROOM
    go.set()
    thread.join()
    assert sys.getrecursionlimit() == before
