"""-f npz: a zip archive of .npy arrays, read here byte by byte, and by NumPy where there is one; the numbers are the JSON's."""
import ast
import io
import json
import struct
import unittest
import zipfile

from harness import TIRED, CliTest

try:
    import numpy
except ImportError:
    numpy = None


def read_npy(data):
    """(type, shape, values) of a .npy file of version 1.0."""
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0 and data[9 + length : 10 + length] == b"\n"
    header = ast.literal_eval(data[10 : 10 + length].decode("latin-1"))
    assert header["fortran_order"] is False
    body, kind = data[10 + length :], header["descr"]
    count = 1
    for side in header["shape"]:
        count *= side
    if kind.startswith("<U"):
        size = 4 * int(kind[2:])
        assert len(body) == size * count
        values = [body[i * size : (i + 1) * size].decode("utf-32-le").rstrip("\0") for i in range(count)]
    else:
        code = {"<f4": "f", "<i8": "q"}[kind]
        values = list(struct.unpack(f"<{count}{code}", body))
    return kind, header["shape"], values


def read_npz(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert all(entry.compress_type == zipfile.ZIP_STORED for entry in archive.infolist())
        return {name.removesuffix(".npy"): read_npy(archive.read(name)) for name in archive.namelist()}


class Npz(CliTest):
    def test_the_arrays_are_what_the_json_says(self):
        document = self.succeed(TIRED, "--layer", "2-3", "--head", "1,5,7", "-f", "json").json()
        arrays = read_npz(self.succeed(TIRED, "--layer", "2-3", "--head", "1,5,7", "-f", "npz").out)
        self.assertEqual(sorted(arrays), ["document", "heads", "keys", "layers", "maps", "queries"])
        n_token = len(document["queries"])
        kind, shape, values = arrays["maps"]
        self.assertEqual((kind, shape), ("<f4", (6, n_token, n_token)))
        expected = [weight for one in document["maps"] for row in one["weights"] for weight in row]
        self.assertEqual(struct.pack(f"{len(values)}f", *values), struct.pack(f"{len(expected)}f", *expected))
        self.assertEqual(arrays["layers"], ("<i8", (6,), [2, 2, 2, 3, 3, 3]))
        self.assertEqual(arrays["heads"], ("<i8", (6,), [1, 5, 7] * 2))
        for axis in ("queries", "keys"):
            self.assertEqual(arrays[axis], ("<U7", (n_token,), [token["text"] for token in document[axis]]))
        ((text,), shape) = arrays["document"][2], arrays["document"][1]
        about = json.loads(text)
        self.assertEqual(shape, ())
        self.assertEqual({**about, "maps": 0, "command": 0}, {**document, "maps": 0, "command": 0})
        self.assertEqual(about["maps"], [])

    def test_into_a_file_by_its_extension(self):
        text = "Ünï \U0001F642 日本 " + "x" * 300
        self.succeed(text, "--layer", "0", "--head", "0", "-o", "maps.npz")
        arrays = read_npz((self.folder / "maps.npz").read_bytes())
        self.assertEqual(self.listing(), ["maps.npz"])
        self.assertEqual(max(map(len, arrays["queries"][2])), 256)  # of the 300
        texts = [token["text"] for token in json.loads(arrays["document"][2][0])["queries"]]
        self.assertEqual(arrays["queries"][2], [one[:256] for one in texts])
        self.assertIn("x" * 300, texts)

    def test_not_square(self):
        arrays = read_npz(self.succeed(TIRED, "--layer", "0", "--head", "0", "--focus", "it", "-f", "npz").out)
        self.assertEqual(arrays["maps"][1], (1, 1, 16))
        self.assertEqual((arrays["queries"][2], len(arrays["keys"][2])), (["it"], 16))

    def test_of_a_batch(self):
        lines = self.write("lines.txt", "One.\nAnd two.\n")
        self.assertEqual(self.attnviz("batch", lines, "-q", "--layer", "0", "--head", "0", "-f", "npz", "-o", "maps").code, 0)
        names = ["maps/000001-L00-H00.npz", "maps/000002-L00-H00.npz"]
        self.assertEqual(self.listing(), ["lines.txt", *names])
        self.assertEqual([read_npz((self.folder / name).read_bytes())["maps"][1] for name in names], [(1, 4, 4), (1, 5, 5)])

    @unittest.skipIf(numpy is None, "there is no NumPy here")
    def test_numpy_reads_it(self):
        self.succeed(TIRED, "--layer", "3", "--head", "1", "-o", "maps.npz")
        with numpy.load(self.folder / "maps.npz", allow_pickle=False) as arrays:
            row = arrays["maps"][0, list(arrays["queries"]).index("it")]
            self.assertEqual((arrays["maps"].dtype, arrays["keys"][row.argmax()]), (numpy.float32, "animal"))
            self.assertEqual(json.loads(str(arrays["document"]))["texts"], [TIRED])


if __name__ == "__main__":
    unittest.main()
