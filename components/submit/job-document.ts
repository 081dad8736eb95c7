import type { JobSpec } from "#server/domain/job.ts";
import type { JobFile } from "#server/domain/job-file.ts";
import { formatDuration, MINUTE_MS } from "#server/kernel/units.ts";

/** Defaults omitted from a job file. */
const DEFAULT_PRIORITY = 50;
const DEFAULT_INTERVAL_MS = 15 * MINUTE_MS;

/** The shortest job file that `parseJobDocument` reads back as the same job. */
export function jobDocument(spec: JobSpec): JobFile {
	const { resources, duration, checkpoint } = spec;
	const some = <T extends object>(record: T): T | undefined => (Object.keys(record).length > 0 ? record : undefined);
	return withoutEmpty({
		apiVersion: "spillway/v1" as const,
		kind: "Job" as const,
		metadata: withoutEmpty({
			name: spec.name,
			team: spec.team,
			project: spec.project ?? undefined,
			labels: some(spec.labels),
		}),
		spec: withoutEmpty({
			class: spec.class,
			image: spec.image ?? undefined,
			command: spec.command,
			env: some(spec.env),
			nodes: spec.nodes === 1 ? undefined : spec.nodes,
			resources: withoutEmpty({
				gpus: resources.gpus,
				accelerators: resources.accelerators.length > 0 ? resources.accelerators : undefined,
				cpus: resources.cpus ?? undefined,
				memoryGiB: resources.memoryGiB ?? undefined,
			}),
			duration: some(
				withoutEmpty({
					estimate: duration.estimateMs === null ? undefined : formatDuration(duration.estimateMs),
					max: duration.maxMs === null ? undefined : formatDuration(duration.maxMs),
				}),
			),
			deadline: spec.deadlineMs === null ? undefined : new Date(spec.deadlineMs).toISOString().replace(/\.000Z$/, "Z"),
			priority: spec.priority === DEFAULT_PRIORITY ? undefined : spec.priority,
			critical: spec.critical || undefined,
			checkpoint: checkpoint
				? withoutEmpty({
						path: checkpoint.path,
						interval: checkpoint.intervalMs === DEFAULT_INTERVAL_MS ? undefined : formatDuration(checkpoint.intervalMs),
					})
				: undefined,
			outputs: spec.outputs?.map((output) =>
				withoutEmpty({
					name: output.name,
					path: output.path,
					kind: output.kind === "file" ? undefined : output.kind,
					when: output.when === "success" ? undefined : output.when,
					keep: output.keepMs === null ? undefined : formatDuration(output.keepMs),
				}),
			),
			data:
				spec.data.length > 0
					? spec.data.map((d) =>
							withoutEmpty({
								uri: d.uri,
								sizeGiB: d.sizeGiB ?? undefined,
								mount: d.mount,
								residency: d.residency.length > 0 ? d.residency : undefined,
							}),
						)
					: undefined,
		}),
	});
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
	[K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Removes undefined fields; the cast reflects only that. */
function withoutEmpty<T extends object>(record: T): Present<T> {
	return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Present<T>;
}
