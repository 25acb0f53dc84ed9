"""Rules of the specification that a shape can't express: a file per chapter, a small function per rule."""
