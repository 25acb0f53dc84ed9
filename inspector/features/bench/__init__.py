"""Load tests of a server: latency, throughput, correctness under load, growth of its processes."""
