"""The pack of `claude`: its hosts are on the list; what holds for all packs is tried in `test_packs`."""

from inspector.checks.hosts import claude
from inspector.checks.hosts.facts import Host
from inspector.checks.hosts.packs import HOSTS


def test_its_hosts_are_known_by_their_ids() -> None:
    hosts = [each for each in vars(claude).values() if isinstance(each, Host)]
    assert hosts
    assert all(HOSTS[each.id] is each for each in hosts)
