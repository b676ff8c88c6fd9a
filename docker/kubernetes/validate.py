"""validate.py CRD_FOLDER KUBERNETES_VERSIONS FILE...: called by validate.sh"""

import glob
import sys

import jsonschema
import kubernetes_validate
import yaml


def strict(schema):
    """A custom resource's schema prunes unknown fields; here they are an error."""
    if schema.get('type') == 'object' and 'properties' in schema:
        schema.setdefault('additionalProperties', False)
    for child in [*schema.get('properties', {}).values(), *filter(None, [schema.get('items')])]:
        strict(child)
    return schema


def custom_schemas(folder):
    schemas = {}
    for path in glob.glob(folder + '/*.yaml'):
        with open(path) as file:
            spec = yaml.safe_load(file)['spec']
        for version in filter(lambda version: version['served'], spec['versions']):
            schema = version['schema']['openAPIV3Schema']
            schema['properties']['metadata'] = {'type': 'object', 'required': ['name']}
            schemas['%s/%s' % (spec['group'], version['name']), spec['names']['kind']] = strict(schema)
    return schemas


def problems(resource):
    schema = schemas.get((resource['apiVersion'], resource['kind']))
    if schema:
        for error in jsonschema.Draft4Validator(schema).iter_errors(resource):
            yield '%s: %s' % (error.json_path, error.message)
        return
    for version in versions:
        try:
            kubernetes_validate.validate(resource, version, strict=True)
        except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as ex:
            yield 'Kubernetes %s: %s' % (version, getattr(ex, 'message', ex))


schemas, versions, files = custom_schemas(sys.argv[1]), sys.argv[2].split(), sys.argv[3:]
status = 0
for name in files:
    with open(name) as file:
        resources = [resource for resource in yaml.safe_load_all(file) if resource]
    if not resources:
        sys.exit(name + ': no resource in it')
    for resource in resources:
        found = list(problems(resource))
        print('%s: %s %s' % (name, resource['kind'], 'is valid' if not found else 'is not valid'))
        for problem in found:
            print('  ' + problem)
            status = 1
sys.exit(status)
