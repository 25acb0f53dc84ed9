"""What the specification says and a shape can't: a file per chapter, a small function per rule."""
