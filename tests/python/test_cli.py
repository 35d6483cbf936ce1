import pytest

from litz.cli import main


def test_info(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for row in ("litz", "kernels compiled by", "cpu", "instruction set", "devices", "torch", "kernel cache"):
        assert row in out
    cpu = next(line for line in out.splitlines() if line.startswith("cpu "))
    assert cpu.split()[1:] not in ([], ["native"])


def test_cache(tmp_path, capsys):
    assert main(["cache", "path", "--dir", str(tmp_path)]) == 0
    assert str(tmp_path) in capsys.readouterr().out
    assert main(["cache", "size", "--dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("0 kernels")
    assert main(["cache", "clear", "--dir", str(tmp_path)]) == 0


def test_unknown_command():
    with pytest.raises(SystemExit):
        main(["compile"])
