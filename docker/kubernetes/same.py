"""same.py RENDERED MANIFEST: called by validate.sh; whether they are the same, in any order of variables and volumes"""

import sys

import yaml


def ordered(node):
    if isinstance(node, list):
        nodes = [ordered(child) for child in node]
        return sorted(nodes, key=lambda child: child['name']) if all('name' in child for child in nodes) else nodes
    return {key: ordered(child) for key, child in node.items()} if isinstance(node, dict) else node


rendered, manifest = (ordered(yaml.safe_load(open(name))) for name in sys.argv[1:])
if rendered != manifest:
    sys.exit('%s is not what the chart makes:\n%s' % (sys.argv[2], yaml.dump(rendered)))
print(sys.argv[2] + ': the chart makes the same')
