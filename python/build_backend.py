"""Builds the wheel of the Python module: its files and the shared library in one archive (PEP 517, PEP 427).

UPSWEEP_LIBRARY names a library that is built already; without it CMake builds one, in build/release.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "upsweep"
LIBRARY = "libupsweep.so.0"


def _version() -> str:
    found = re.search(r"project\(upsweep VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    if not found:
        raise RuntimeError("CMakeLists.txt names no version")
    return found.group(1)


def _built_library() -> Path:
    if os.environ.get("UPSWEEP_LIBRARY"):
        return Path(os.environ["UPSWEEP_LIBRARY"])
    folder = ROOT / "build" / "release"
    if not (folder / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release", "-DUPSWEEP_TESTS=OFF"], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "upsweep_shared"], cwd=ROOT, check=True)
    return folder / LIBRARY


def _metadata() -> dict[str, bytes]:
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return {
        "METADATA": (f"Metadata-Version: 2.1\nName: upsweep\nVersion: {_version()}\nRequires-Python: >=3.9\n"
                     "Summary: Counts and simulates back-propagation as a parallel scan\nLicense: MIT\n"
                     "Provides-Extra: tables\nRequires-Dist: numpy; extra == 'tables'\n"
                     "Requires-Dist: pandas; extra == 'tables'\n").encode(),
        "entry_points.txt": b"[console_scripts]\nupsweep = upsweep.__main__:main\n",
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: upsweep\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }


def _record_line(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    """Called by pip; the name of the wheel."""
    metadata = _metadata()
    info = f"upsweep-{_version()}.dist-info"
    files = {f"upsweep/{path.name}": path.read_bytes() for path in sorted(PACKAGE.iterdir()) if path.is_file()}
    files[f"upsweep/{LIBRARY}"] = _built_library().read_bytes()
    files.update({f"{info}/{name}": content for name, content in metadata.items()})
    record = "".join(_record_line(name, content) for name, content in files.items()) + f"{info}/RECORD,,\n"
    tag = metadata["WHEEL"].decode().split("Tag: ")[1].strip()
    wheel = f"upsweep-{_version()}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
        archive.writestr(f"{info}/RECORD", record)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Called by `python3 -m build`; the sources that git knows."""
    name = f"upsweep-{_version()}"
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for path in filter(None, listed):
            archive.add(ROOT / path, f"{name}/{path}")
    return f"{name}.tar.gz"
