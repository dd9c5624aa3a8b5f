"""A node that writes files, some of which it hands over."""

from nodes.node import Node


class Filer(Node):
    name = "filer"
    handed_over = ("films/*.mp4", "note.txt", "grows")

    def setup(self) -> None:
        films = self.folder / "films"
        films.mkdir(exist_ok=True)
        (films / "large.mp4").write_bytes(bytes(range(256)) * 12_000)  # three parts
        (films / "empty.mp4").write_bytes(b"")
        (films / ".draft.mp4").write_bytes(b"half a film")
        (self.folder / "note.txt").write_text("seen from afar")
        (self.folder / "secret").write_text("not for others")
        link = films / "linked.mp4"
        link.unlink(missing_ok=True)
        link.symlink_to(self.folder / "secret")
        self.grow()  # it is there before the node answers
        self.bus.every(0.02, self.grow)

    def grow(self) -> None:
        with (self.folder / "grows").open("a") as grows:
            grows.write("another line\n")


if __name__ == "__main__":
    Filer.main()
