"""Files as they should not be: each has a clear line, and exit code 2 where it is no source."""

import os
import subprocess
import threading

import places
import pytest

here = places.load()


def tidy(folder, *arguments, **options):
    return subprocess.run(here.command(*arguments), cwd=folder, text=True, errors="replace", **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


def lines(run):
    return run.returncode, run.stdout + run.stderr


def powerless():
    """Root may read everything; without these two capabilities it may not."""
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []


def test_empty(tmp_path):
    (tmp_path / "empty.cpp").touch()
    assert lines(tidy(tmp_path, "empty.cpp", "--")) == (0, "")


def test_huge(tmp_path):
    body = "inline int f%d(int x) {\n  // A comment.\n  int y = x + %d;\n  return y;\n}\n"
    text = "".join(body % (i, i) for i in range(20_000)) + "int last = lost;\n"
    assert text.count("\n") == 100_001
    (tmp_path / "huge.cpp").write_text(text)
    run = tidy(tmp_path, "huge.cpp", "--", timeout=60)
    assert run.returncode == 2 and run.stdout.startswith("huge.cpp:100001:12: error: use of undeclared identifier 'lost'")


def test_bytes_that_are_no_utf8(tmp_path):
    (tmp_path / "latin.cpp").write_bytes(b'// caf\xe9\nconst char* a = "caf\xe9";\n')
    assert lines(tidy(tmp_path, "latin.cpp", "--")) == (0, "")
    (tmp_path / "name.cpp").write_bytes(b"int caf\xe9;\n")
    run = tidy(tmp_path, "name.cpp", "--")
    assert run.returncode == 2 and "name.cpp:1:8: error: source file is not valid UTF-8\n" in run.stdout


def test_utf16(tmp_path):
    (tmp_path / "wide.cpp").write_text("int a;\n", encoding="utf-16")
    code, text = lines(tidy(tmp_path, "wide.cpp", "--"))
    assert code == 2 and text.count("error:") == 1
    assert "UTF-16 (LE) byte order mark detected" in text and "\nnote: sources are read as UTF-8: save it so\n" in text


def test_line_ends_and_order_mark(tmp_path):
    (tmp_path / "windows.cpp").write_bytes(b"\xef\xbb\xbfint a;\r\nint b = c;\r\n")
    run = tidy(tmp_path, "windows.cpp", "--")
    assert run.stdout == "windows.cpp:2:9: error: use of undeclared identifier 'c'\n    2 | int b = c;\n      |         ^\n1 error\n"


def test_links(tmp_path):
    (tmp_path / "real.cpp").write_text("int a = b;\n")
    (tmp_path / "link.cpp").symlink_to("real.cpp")
    run = tidy(tmp_path, "link.cpp", "real.cpp", "--")
    assert run.stdout.startswith("link.cpp:1:9: error:") and run.stdout.endswith("\n1 error\n")  # one file, once
    (tmp_path / "loop.cpp").symlink_to("loop.cpp")
    (tmp_path / "loose.cpp").symlink_to("gone.cpp")
    run = tidy(tmp_path, "loop.cpp", "loose.cpp", "--")
    assert run.returncode == 2
    assert run.stderr == "error: loop.cpp: cannot be read: Too many levels of symbolic links\nerror: loose.cpp: is a link to a file that is not there\n"


def test_the_database_knows_the_file_by_another_name(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.cpp").write_text("int a = SIZE;\n")
    (tmp_path / "other").symlink_to("src")
    (tmp_path / "compile_commands.json").write_text('[{"directory": "%s", "file": "src/a.cpp", "command": "g++ -DSIZE=1 src/a.cpp"}]' % tmp_path)
    assert lines(tidy(tmp_path, "other/a.cpp")) == (0, "")
    assert lines(tidy(tmp_path, "other")) == (0, "")


@pytest.mark.skipif(not here.torch_flags, reason="no LibTorch")
def test_a_fix_leaves_a_link_a_link(tmp_path):
    source = "#include <torch/torch.h>\ntorch::Tensor f(torch::Tensor x) {\n  if ((x.sum() < 0).item<bool>()) x = x + 5;\n  return x;\n}\n"
    (tmp_path / "real.cpp").write_text(source)
    (tmp_path / "link.cpp").symlink_to("real.cpp")
    tidy(tmp_path, "--fix", "link.cpp", "--", *here.torch_flags)
    assert (tmp_path / "link.cpp").is_symlink() and "torch::where(" in (tmp_path / "real.cpp").read_text()


def test_long_paths(tmp_path):
    run = tidy(tmp_path, "d" * 300 + ".cpp", "--")
    assert lines(run) == (2, "1 error\n" + f"error: {'d' * 300}.cpp: cannot be read: File name too long\n")
    folder = tmp_path / "/".join(["d" * 200] * 15)  # 3,000 characters: long, and allowed
    folder.mkdir(parents=True)
    (folder / "a.cpp").write_text("int a = b;\n")
    run = tidy(tmp_path, str(folder / "a.cpp"), "--")
    assert run.returncode == 2 and "a.cpp:1:9: error: use of undeclared identifier 'b'\n" in run.stdout


def test_a_file_that_the_database_lists_and_that_is_gone(tmp_path):
    (tmp_path / "here.cpp").write_text("int a;\n")
    (tmp_path / "compile_commands.json").write_text('[{"file": "here.cpp", "command": "g++ here.cpp"}, {"file": "gone.cpp", "command": "g++ gone.cpp"}]')
    assert lines(tidy(tmp_path, ".")) == (2, "1 error\nerror: gone.cpp: no such file\n")


def test_a_file_that_goes_while_another_is_read(tmp_path):
    """The first file's command includes a pipe: the tool waits there until the second file is gone."""
    (tmp_path / "first.cpp").write_text("int a;\n")
    (tmp_path / "second.cpp").write_text("int b;\n")
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "compile_commands.json").write_text('[{"file": "first.cpp", "command": "g++ -include pipe.h first.cpp"}, {"file": "second.cpp", "command": "g++ second.cpp"}]')

    def vanish():
        with open(tmp_path / "pipe.h", "w") as pipe:  # opened when the tool reads it
            (tmp_path / "second.cpp").unlink()
            pipe.write("int c;\n")

    thread = threading.Thread(target=vanish, daemon=True)
    thread.start()
    one_by_one = ["-j1"] if " -j" in tidy(tmp_path, "--help").stdout else []
    code, text = lines(tidy(tmp_path, *one_by_one, "first.cpp", "second.cpp", timeout=60))
    assert code == 2 and f"error: error reading '{tmp_path}/second.cpp': No such file or directory\n" in text


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / "pipe.cpp")
    (tmp_path / "folder.cpp").mkdir()
    assert lines(tidy(tmp_path, "pipe.cpp", "--"))[1].endswith("error: pipe.cpp: is not a regular file\n")
    assert lines(tidy(tmp_path, "folder.cpp", "--"))[1].endswith("error: folder.cpp: there is no C++ source below this folder\n")
    (tmp_path / "compile_commands.json").write_text('[{"file": "folder.cpp", "command": "g++ folder.cpp"}]')
    assert lines(tidy(tmp_path, "."))[1].endswith("error: folder.cpp: is not a regular file\n")


def test_permission(tmp_path):
    (tmp_path / "closed.cpp").write_text("int a;\n")
    (tmp_path / "closed.cpp").chmod(0)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/a.cpp").write_text("int a;\n")
    (tmp_path / "folder").chmod(0)
    command = powerless() + here.command("closed.cpp", "folder/a.cpp", "folder", "--")
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    (tmp_path / "folder").chmod(0o700)
    assert run.returncode == 2
    assert run.stderr == "".join(f"error: {name}: {what}: Permission denied\n" for name, what in
                                 [("closed.cpp", "cannot be read"), ("folder/a.cpp", "cannot be read"), ("folder", "cannot be listed")])


def test_a_database_that_may_not_be_read(tmp_path):
    (tmp_path / "a.cpp").write_text("int a;\n")
    (tmp_path / "compile_commands.json").write_text("[]")
    (tmp_path / "compile_commands.json").chmod(0)
    run = subprocess.run(powerless() + here.command("a.cpp"), cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 2 and run.stderr == f"error: a.cpp: {tmp_path}/compile_commands.json cannot be read: Permission denied\n"


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["--list-checks"], ["--explain=host-branch"], ["--show-command=a.cpp", "--"],
                                       ["a.cpp", "--"], ["--format=json", "a.cpp", "--"], ["--format=sarif", "a.cpp", "--"]])
def test_output_that_cannot_be_written(tmp_path, arguments):
    (tmp_path / "a.cpp").write_text("int a = b;\n")
    with open("/dev/full", "w") as full:
        run = tidy(tmp_path, *arguments, stdout=full)
    assert run.returncode == 2
    assert run.stderr.count("cannot be written: No space left on device\n") == 1 and "LLVM" not in run.stderr


def test_nowhere_to_complain(tmp_path):
    with open("/dev/full", "w") as full:
        assert tidy(tmp_path, "--version", stdout=full, stderr=full).returncode == 2
        assert tidy(tmp_path, "--no-such-option", stderr=full).returncode == 2


def test_output_stays_what_it_is(tmp_path):
    (tmp_path / "a.cpp").write_text("int a = b;\n")
    (tmp_path / "report").write_text("")
    (tmp_path / "link").symlink_to("report")
    os.mkfifo(tmp_path / "pipe")
    tidy(tmp_path, "--output=link", "a.cpp", "--")
    assert (tmp_path / "link").is_symlink() and "undeclared" in (tmp_path / "report").read_text()
    received = []
    reader = threading.Thread(target=lambda: received.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    tidy(tmp_path, "--output=pipe", "a.cpp", "--", timeout=60)
    reader.join(60)
    assert (tmp_path / "pipe").is_fifo() and "undeclared" in received[0]
    (tmp_path / "folder").mkdir()
    assert lines(tidy(tmp_path, "--output=folder", "a.cpp", "--")) == (2, "error: folder: cannot be written: Is a directory\n")
