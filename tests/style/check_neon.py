"""The kernels compile for NEON: every src/ops file goes through a cross compiler for 64-bit ARM, as far as its syntax and templates.

Nothing can run here, so only the compiler is asked. The headers of Highway and fmt are those of this machine, which have no code of
one processor in them, seen through a folder of links: the rest of /usr/include is not for that compiler.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

COMPILER = "aarch64-linux-gnu-g++"
HEADERS = pathlib.Path("/usr/include")


def compile_one(root, links, source):
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-DFMT_HEADER_ONLY",
               f"-I{root / 'include'}", f"-I{root / 'src'}", "-isystem", str(links), str(source)]
    return subprocess.run(command, capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    root = parser.parse_args().root.resolve()
    sources = sorted((root / "src" / "ops").glob("*.cpp"))
    if not sources:
        sys.exit("src/ops: has no source; expected kernels")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        links = pathlib.Path(folder)
        for name in ["hwy", "fmt"]:
            (links / name).symlink_to(HEADERS / name)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for source, result in zip(sources, pool.map(lambda source: compile_one(root, links, source), sources)):
                if result.returncode != 0:
                    failed += 1
                    print(f"{source.relative_to(root)}: does not compile for NEON\n{result.stderr}")
    print(f"{len(sources) - failed} of {len(sources)} files compile for NEON")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
