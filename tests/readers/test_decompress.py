"""Every compression: complete, in several members, truncated and damaged."""

import bz2
import gzip
import lzma
import os
import sys
import threading
import types
import zlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wmsketch.readers import BadInput, ByteStream, decompress, expand_paths, open_examples, open_stream

COMPRESS = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
TEXT = b"".join(b"1 %d:0.5 %d:%d\n" % (i, i * 7919 % 1000003, i) for i in range(20000))


@pytest.fixture(params=[*COMPRESS, ".gz without isal"])
def suffix(request, monkeypatch):
    suffix, _, missing = request.param.partition(" without ")
    if missing:
        monkeypatch.setitem(sys.modules, "isal.igzip_lib", None)
    return suffix


def write(folder, name, data):
    path = folder / name
    path.write_bytes(data)
    return path


def read(path):
    with open_stream(path) as stream:
        return b"".join(stream.chunks(10_000))


def test_compressed_file_reads_as_the_plain_one(tmp_path, suffix):
    assert read(write(tmp_path, "a.svm" + suffix, COMPRESS[suffix](TEXT))) == TEXT


def test_compression_is_found_without_the_suffix(tmp_path, suffix):
    assert read(write(tmp_path, "a.svm", COMPRESS[suffix](TEXT))) == TEXT


def test_several_members_are_one_text(tmp_path, suffix):
    members = [TEXT, b"", b"x", TEXT]
    data = b"".join(COMPRESS[suffix](member) for member in members)
    assert read(write(tmp_path, "a" + suffix, data)) == b"".join(members)


def test_many_small_members_are_not_copied_again_and_again(tmp_path, suffix, monkeypatch):
    """2.4 MB of empty zstd frames took 64 s: each frame got all the bytes behind it, and looked for its module."""
    given, looked_for = [0], [0]
    import_module = decompress.importlib.import_module

    def counted(name):
        looked_for[0] += 1
        return import_module(name)

    class Counted:
        def __init__(self, member):
            self._member = member

        def decompress(self, data, max_length):
            given[0] += len(data)
            return self._member.decompress(data, max_length)

        def __getattr__(self, name):
            return getattr(self._member, name)

    members = decompress._members

    def counted_members(compression, file):
        make, error = members(compression, file)
        return lambda: Counted(make()), error

    monkeypatch.setattr(decompress, "_members", counted_members)
    monkeypatch.setattr(decompress.importlib, "import_module", counted)
    empty = COMPRESS[suffix](b"")
    assert read(write(tmp_path, "a" + suffix, empty * 5000 + COMPRESS[suffix](b"end"))) == b"end"
    assert given[0] <= 5001 * 2048 and looked_for[0] <= 10


def test_empty_text_is_empty(tmp_path, suffix):
    assert read(write(tmp_path, "a" + suffix, COMPRESS[suffix](b""))) == b""


@pytest.mark.parametrize("cut", [1, 5, 100, 0.5, 0.99])
def test_truncation_is_an_error(tmp_path, suffix, cut):
    data = COMPRESS[suffix](TEXT)
    size = len(data) - cut if cut >= 1 else int(len(data) * cut)
    path = write(tmp_path, "a" + suffix, data[:size])
    with pytest.raises(BadInput, match="ends too early: the file is truncated") as error:
        read(path)
    assert error.value.file == str(path)


def test_a_truncated_second_member_is_an_error(tmp_path, suffix):
    data = COMPRESS[suffix](TEXT)
    with pytest.raises(BadInput, match="truncated"):
        read(write(tmp_path, "a" + suffix, data + data[:-3]))


def test_damage_is_an_error(tmp_path, suffix):
    data = bytearray(COMPRESS[suffix](TEXT))
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    with pytest.raises(BadInput, match=r"damaged|truncated"):
        read(write(tmp_path, "a" + suffix, bytes(data)))


def test_garbage_behind_the_data_is_an_error(tmp_path, suffix):
    with pytest.raises(BadInput, match=r"damaged|truncated"):
        read(write(tmp_path, "a" + suffix, COMPRESS[suffix](TEXT) + b"hello, this is no compressed data at all"))


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_zero_padding_between_members_is_allowed(tmp_path, suffix):
    data = COMPRESS[suffix](TEXT) + bytes(512)
    assert read(write(tmp_path, "a" + suffix, data + data)) == TEXT + TEXT


def test_frames_to_skip_are_skipped(tmp_path):
    skip = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    assert read(write(tmp_path, "a.zst", skip + zstandard.compress(TEXT) + skip)) == TEXT


def test_a_suffix_that_lies_is_an_error(tmp_path, suffix):
    with pytest.raises(BadInput, match="because of the name, found other data"):
        open_stream(write(tmp_path, "a.svm" + suffix, TEXT))
    with pytest.raises(BadInput, match="because of the name, found an empty file"):
        open_stream(write(tmp_path, "b.svm" + suffix, b""))
    other = ".gz" if suffix != ".gz" else ".xz"
    with pytest.raises(BadInput, match=r"because of the name, found .* data"):
        open_stream(write(tmp_path, "c.svm" + suffix, COMPRESS[other](TEXT)))


def test_text_that_looks_like_bzip2_is_text(tmp_path):
    assert read(write(tmp_path, "a.txt", b"BZh9 is how it begins\n")) == b"BZh9 is how it begins\n"


def test_memory_stays_bounded_for_well_compressed_zeros(tmp_path, suffix):
    path = write(tmp_path, "zeros" + suffix, COMPRESS[suffix](bytes(30_000_000)))
    with open_stream(path) as stream:
        sizes = [len(chunk) for chunk in stream.chunks(1 << 20)]
    assert sum(sizes) == 30_000_000
    assert max(sizes) <= 1 << 20


def full_chunks(stream, size):
    buffer = memoryview(bytearray(size))
    sizes = []
    while n := stream.fill(buffer):
        sizes.append(n)
        yield bytes(buffer[:n])
    assert all(n == size for n in sizes[:-1])  # a file fills every buffer except the last


@given(st.binary(max_size=300), st.sampled_from(sorted(COMPRESS)), st.integers(1, 50))
def test_any_bytes_in_any_pieces(tmp_path_factory, data, suffix, size):
    path = write(tmp_path_factory.mktemp("any"), "a" + suffix, COMPRESS[suffix](data))
    with open_stream(path) as stream:
        stream.look(7)
        assert b"".join(stream.chunks(size) if size % 2 else full_chunks(stream, size)) == data


def test_progress_counts_stored_bytes(tmp_path, suffix):
    path = write(tmp_path, "a" + suffix, COMPRESS[suffix](TEXT))
    with open_stream(path) as stream:
        assert stream.bytes_total == path.stat().st_size
        for _ in stream.chunks(1000):
            assert 0 < stream.bytes_read <= stream.bytes_total
        assert stream.bytes_read == stream.bytes_total


def test_pipe(tmp_path, suffix):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(COMPRESS[suffix](TEXT),))
    writer.start()
    with open_stream(path) as stream:
        assert stream.bytes_total is None
        assert stream.read() == TEXT
    writer.join()


def test_what_a_pipe_has_for_now_is_handed_on(suffix):
    text = TEXT[:5000]  # less than the buffer of a pipe
    descriptor, end = os.pipe()
    with os.fdopen(descriptor, "rb", buffering=0) as source, os.fdopen(end, "wb", buffering=0) as writer:
        writer.write(COMPRESS[suffix](text))
        buffer = memoryview(bytearray(2 * len(text)))
        size = ByteStream(source, "pipe").fill(buffer)  # although the pipe is still open
        assert bytes(buffer[:size]) == text


def test_a_pipe_that_does_not_wait_is_waited_for():
    descriptor, end = os.pipe()
    os.set_blocking(descriptor, False)
    with os.fdopen(descriptor, "rb", buffering=0) as source:
        late = threading.Timer(0.1, lambda: (os.write(end, TEXT[:5000]), os.close(end)))
        late.start()
        assert ByteStream(source, "pipe").read() == TEXT[:5000]
        late.join()


def test_stdin_is_read_past_python_and_stays_open(tmp_path, suffix, monkeypatch):
    path = write(tmp_path, "data", COMPRESS[suffix](TEXT))
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert read("-") == TEXT
        assert not file.closed


def test_missing_files_and_folders_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no such file: '.*missing\.svm'"):
        open_stream(tmp_path / "missing.svm")
    with pytest.raises(IsADirectoryError, match="expected a file, found a folder"):
        open_stream(tmp_path)
    with pytest.raises(FileNotFoundError, match="no file matches"):
        expand_paths(str(tmp_path / "*.svm"))
    with pytest.raises(ValueError, match="at least one file"):
        expand_paths([])


def test_globs_are_sorted_and_a_real_name_wins(tmp_path):
    for name in ("b.svm", "a.svm", "[x].svm", "x.svm"):
        write(tmp_path, name, b"")
    assert expand_paths([str(tmp_path / "?.svm")]) == [str(tmp_path / f"{n}.svm") for n in "abx"]
    assert expand_paths(tmp_path / "[x].svm") == [str(tmp_path / "[x].svm")]


def test_file_is_closed_whatever_happens(tmp_path):
    with pytest.raises(ZeroDivisionError), open_stream(write(tmp_path, "a.svm", TEXT)) as stream:
        raise ZeroDivisionError
    assert stream.closed
    assert stream._source.closed


def test_a_file_that_asks_for_gigabytes_of_dictionary_is_refused(tmp_path):
    small = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**16}]
    data = bytearray(lzma.compress(b"1 1:1\n" * 10, filters=small))
    # the block header: size, flags, filter id, size of its properties, size of the dictionary (40: 4 GiB), padding
    assert data[12:17] == bytes([2, 0, 0x21, 1, 8])
    data[16] = 39
    data[20:24] = zlib.crc32(data[12:20]).to_bytes(4, "little")
    path = tmp_path / "rows.svm.xz"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=r"damaged xz data: Memory usage limit exceeded"):
        list(open_examples(str(path)))


class StandardLibraryMember:
    """The interface of `compression.zstd.ZstdDecompressor` (Python 3.14), over the package zstandard."""

    def __init__(self):
        self._inner = zstandard.ZstdDecompressor().decompressobj()
        self._plain = b""

    eof = property(lambda self: self._inner.eof and not self._plain)
    needs_input = property(lambda self: not self._plain)
    unused_data = property(lambda self: self._inner.unused_data)

    def decompress(self, data, max_length=-1):
        plain = self._plain + (self._inner.decompress(data) if data else b"")
        self._plain = plain[max_length:]
        return plain[:max_length]


def test_zstd_of_the_standard_library_comes_first(tmp_path, monkeypatch):
    made = []
    module = types.ModuleType("compression.zstd")
    module.ZstdDecompressor = lambda: made.append(1) or StandardLibraryMember()
    module.ZstdError = zstandard.ZstdError
    monkeypatch.setitem(sys.modules, "compression", types.ModuleType("compression"))
    monkeypatch.setitem(sys.modules, "compression.zstd", module)
    data = zstandard.compress(TEXT) + zstandard.compress(b"end")
    assert read(write(tmp_path, "a.zst", data)) == TEXT + b"end"
    assert len(made) == 2
    with pytest.raises(BadInput, match="damaged zstd data"):
        read(write(tmp_path, "b.zst", data[:4] + b"\xff" * 50))


def test_without_any_zstd_the_message_names_file_and_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = write(tmp_path, "a.zst", zstandard.compress(TEXT))
    with pytest.raises(BadInput, match=r"a\.zst: zstd data needs Python 3\.14 or newer, or the package zstandard"):
        read(path)
    assert read(write(tmp_path, "a.gz", gzip.compress(TEXT))) == TEXT
