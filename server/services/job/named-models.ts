import type { JobSpec } from "#server/domain/job.ts";
import { otherAcceleratorNamed } from "#server/domain/other-accelerators.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";

/**
 * The job with the models that its accelerators' names may mean beside what was written: `H100` finds `H100-80GB`, `A100`
 * both of its sizes, `v5e` Google's `TPU-v5e`. A name that nobody knows here stays alone: a site may have called its own hardware so.
 */
export function withNamedModels(spec: JobSpec): JobSpec {
	const { accelerators } = spec.resources;
	const models = [...new Set(accelerators.flatMap((name) => [name, ...acceleratorsNamed(name), otherAcceleratorNamed(name) ?? name]))];
	return models.length === accelerators.length ? spec : { ...spec, resources: { ...spec.resources, accelerators: models } };
}
