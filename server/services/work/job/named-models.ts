import type { JobSpec } from "#server/domain/job.ts";
import { otherAcceleratorNamed } from "#server/domain/other-accelerators.ts";
import { acceleratorsNamed } from "#server/rates/accelerators.ts";

/**
 * Adds canonical models to the accelerator names of a job: `H100` also matches `H100-80GB`, `A100` both of its sizes. Unknown names
 * stay as written, since a site may use its own. In `throughput` a canonical entry wins over an alias.
 */
export function withNamedModels(spec: JobSpec): JobSpec {
	const { accelerators } = spec.resources;
	const models = [...new Set(accelerators.flatMap((name) => [name, ...modelsNamed(name)]))];
	const named = models.length === accelerators.length ? spec : { ...spec, resources: { ...spec.resources, accelerators: models } };
	return spec.throughput ? { ...named, throughput: withModels(spec.throughput) } : named;
}

function modelsNamed(name: string): readonly string[] {
	return [...acceleratorsNamed(name), otherAcceleratorNamed(name) ?? name];
}

function withModels(throughput: Record<string, number>): Record<string, number> {
	const aliases = Object.entries(throughput).flatMap(([name, speed]) => modelsNamed(name).map((model): [string, number] => [model, speed]));
	return { ...Object.fromEntries(aliases), ...throughput };
}
