#!/usr/bin/env python3
"""
Writes the bill of materials of each library that was built, in CycloneDX 1.6: its parts, the patches in them, and for
each known vulnerability whether it is fixed or not in the build (VEX). The same sources give the same bytes.

    natives/sbom.py VERSION NATIVES TARGET

VERSION is that of this project. The libraries are NATIVES/PLATFORM/*tcnative-2.*, and what is written is
TARGET/PLATFORM/META-INF/sbom/tomcat-openssl-natives-PLATFORM.cdx.json. What it says comes out of versions.properties,
vulnerabilities.csv and patches/.
"""
import csv
import hashlib
import json
import pathlib
import sys
import uuid

HERE = pathlib.Path(__file__).parent
# CycloneDX's words for those of vulnerabilities.csv, which are those of OpenVEX
JUSTIFICATIONS = {'vulnerable_code_not_present': 'code_not_present',
                  'vulnerable_code_not_in_execute_path': 'code_not_reachable'}


def properties(file):
    lines = (line.partition('=') for line in file.read_text().splitlines() if '=' in line and line[0] != '#')
    return {name: value for name, _, value in lines}


def digest(sha256):
    return [{'alg': 'SHA-256', 'content': sha256}]


def part(name, version, licence, cpe, **more):
    purl = f'pkg:generic/{name}@{version.replace("+", "%2B")}'
    return {'type': 'library', 'bom-ref': purl, 'name': name, 'version': version,
            'licenses': [{'license': {'id': licence}}], 'cpe': f'cpe:2.3:a:{cpe}:*:*:*:*:*:*:*', 'purl': purl, **more}


def runtime(platform, version):
    """What the compiler links in."""
    parts = [('compiler-rt', 'MIT', f'The part of the compiler\'s runtime that the code needs, of Zig {version}')]
    if platform.startswith('windows'):
        parts.append(('mingw-w64', 'ZPL-2.1', f'Start-up code and wrappers of Windows\' C library, of Zig {version}'))
    elif platform.startswith('linux') and not platform.endswith('musl'):
        parts.append(('glibc', 'LGPL-2.1-or-later', 'Only libc_nonshared.a, which its licence allows to link into '
                      f'anything, of Zig {version}. The C library itself is that of the system'))
    return [{'type': 'library', 'bom-ref': f'runtime-{name}', 'name': name, 'description': description,
             'licenses': [{'license': {'id': licence}}]} for name, licence, description in parts]


def patch(kind, path, vulnerabilities):
    resolved = [{'type': 'security', 'id': vulnerability} for vulnerability in vulnerabilities]
    return {'type': kind, 'diff': {'url': path}, **({'resolves': resolved} if resolved else {})}


def pedigree(component, upstream, vulnerabilities):
    """The patches: Debian's that vulnerabilities.csv names, and ours."""
    fixes = {}
    for row in vulnerabilities:
        if row['component'] == component:
            for word in f'{row["justification-or-patch"]} {row["detail"]}'.split():
                if word.endswith('.patch'):
                    fixes.setdefault(word, []).append(row['cve'])
    own = [f'patches/{component}/{file.name}' for file in sorted((HERE / 'patches' / component).glob('*.patch'))]
    patches = [patch('backport', f'debian/patches/{name}', fixes[name]) for name in sorted(fixes) if '/' not in name]
    patches += [patch('unofficial', f'natives/{name}', fixes.get(name, [])) for name in own]
    return {'pedigree': {'ancestors': [upstream], 'patches': patches}} if patches else {}


def statement(row, references):
    analysis = {'state': 'resolved_with_pedigree', 'detail': row['detail']}
    if row['state'] == 'not_affected':
        analysis |= {'state': 'not_affected', 'justification': JUSTIFICATIONS[row['justification-or-patch']]}
    elif row['state'] != 'fixed':
        raise SystemExit(f'vulnerabilities.csv: {row["cve"]} is neither fixed nor not_affected')
    return {'id': row['cve'], 'source': {'name': 'NVD', 'url': f'https://nvd.nist.gov/vuln/detail/{row["cve"]}'},
            'analysis': analysis, 'affects': [{'ref': references[row['component']]}]}


def bill(version, platform, library):
    pinned = properties(HERE / 'versions.properties')
    with open(HERE / 'vulnerabilities.csv', newline='') as file:
        names = ('cve', 'component', 'state', 'justification-or-patch', 'detail')
        vulnerabilities = list(csv.DictReader(file, names))

    def upstream(name, **more):
        number = pinned[f'{name}.version']
        return {'type': 'library', 'name': name, 'version': number, 'purl': f'pkg:generic/{name}@{number}', **more}

    openssl, apr, native = (pinned[f'{name}.version'] for name in ('openssl', 'apr', 'tomcat-native'))
    level = pinned.get('openssl.patchlevel')
    parts = [
        part('tomcat-native', native, 'Apache-2.0', f'apache:tomcat_native:{native}',
             **pedigree('tomcat-native', upstream('tomcat-native'), vulnerabilities)),
        part('apr', apr, 'Apache-2.0', f'apache:portable_runtime:{apr}', hashes=digest(pinned['apr.sha256']),
             **pedigree('apr', upstream('apr'), vulnerabilities)),
        part('openssl', f'{openssl}+{level}' if level else openssl, 'Apache-2.0', f'openssl:openssl:{openssl}',
             **pedigree('openssl', upstream('openssl', hashes=digest(pinned['openssl.sha256'])), vulnerabilities))]
    references = {component['name']: component['bom-ref'] for component in parts}
    linked = runtime(platform, pinned['ziglang.version'])
    compiler = {'type': 'application', 'bom-ref': 'compiler', 'name': 'zig', 'version': pinned['ziglang.version'],
                'description': 'The compiler', 'scope': 'excluded', 'licenses': [{'license': {'id': 'MIT'}}],
                'purl': f'pkg:pypi/ziglang@{pinned["ziglang.version"]}'}

    jar = f'pkg:maven/io.github.tomcatopenssl/tomcat-openssl-natives@{version}?classifier={platform}&type=jar'
    contained = {'type': 'file', 'bom-ref': library.name, 'name': f'META-INF/native/{platform}/{library.name}',
                 'hashes': digest(hashlib.sha256(library.read_bytes()).hexdigest())}
    return {
        '$schema': 'http://cyclonedx.org/schema/bom-1.6.schema.json', 'bomFormat': 'CycloneDX', 'specVersion': '1.6',
        'version': 1,
        'metadata': {
            'lifecycles': [{'phase': 'build'}],
            'component': {'type': 'library', 'bom-ref': jar, 'group': 'io.github.tomcatopenssl',
                          'name': 'tomcat-openssl-natives', 'version': version, 'purl': jar,
                          'licenses': [{'license': {'id': 'Apache-2.0'}}]}},
        'components': [contained, *parts, *linked, compiler],
        'dependencies': [
            {'ref': jar, 'dependsOn': [contained['bom-ref']]},
            {'ref': contained['bom-ref'], 'dependsOn': [component['bom-ref'] for component in (*parts, *linked)]},
            {'ref': references['tomcat-native'], 'dependsOn': [references['apr'], references['openssl']]}],
        'vulnerabilities': [statement(row, references) for row in vulnerabilities]}


def main():
    version, natives, target = sys.argv[1:]
    for library in sorted(pathlib.Path(natives).glob('*/*tcnative-2.*')):
        if library.suffix == '.sha256':
            continue
        platform = library.parent.name
        content = bill(version, platform, library)
        content['serialNumber'] = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content)).urn
        file = pathlib.Path(target, platform, 'META-INF/sbom', f'tomcat-openssl-natives-{platform}.cdx.json')
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content, indent=2) + '\n')


main()
