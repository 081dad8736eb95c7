import type { Offer } from "#server/domain/capacity.ts";
import { gpusOf, type JobSpec, residencyOf } from "#server/domain/job.ts";
import { CAPACITY_TYPES, PROVIDERS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { HOUR_MS } from "#server/kernel/units.ts";

/** A name available in expressions: its CEL type, its description, and its values if they are a closed list. */
export interface FactField {
	type: "string" | "double" | "bool" | "list<string>" | "map<string, string>";
	meaning: string;
	values?: readonly string[];
}

/**
 * Fields of a job for conditions. Numbers are doubles, and whole numbers may be written next to them (expression.ts): `job.gpus
 * > 4` and `job.gpus > 4.0` both work. A missing limit counts as infinite rather than 0, so omitting it does not pass a limit.
 */
export const JOB_FIELDS: Readonly<Record<keyof JobFacts, FactField>> = {
	name: { type: "string", meaning: "name of the job" },
	team: { type: "string", meaning: "team that submitted it" },
	project: { type: "string", meaning: 'project, "" when none is given' },
	class: { type: "string", meaning: "workload class", values: WORKLOAD_CLASSES },
	priority: { type: "double", meaning: "0 to 100, higher first" },
	critical: { type: "bool", meaning: "marked critical" },
	gpus: { type: "double", meaning: "GPUs on all nodes together" },
	nodes: { type: "double", meaning: "machines that start together" },
	gpusPerNode: { type: "double", meaning: "GPUs on each node" },
	accelerators: { type: "list<string>", meaning: "GPU models it accepts, empty when any will do" },
	image: { type: "string", meaning: 'container image, "" when none is given' },
	labels: { type: "map<string, string>", meaning: "labels" },
	residency: { type: "list<string>", meaning: "areas that its data are bound to, such as eu" },
	dataGiB: { type: "double", meaning: "size of its data, GiB; unlimited when a size is unknown" },
	estimateHours: { type: "double", meaning: "estimated run time, hours; its longest run time without an estimate, else unlimited" },
	maxHours: { type: "double", meaning: "longest run time, hours; unlimited when not given" },
	hasEstimate: { type: "bool", meaning: "an estimate is given" },
	hasDeadline: { type: "bool", meaning: "a deadline is given" },
	hasCheckpoint: { type: "bool", meaning: "it writes checkpoints" },
};

/** Additional fields for approval rules: the chosen placement. Texts are "" at home. */
export const QUOTE_FIELDS: Readonly<Record<keyof QuoteFacts, FactField>> = {
	costUsd: { type: "double", meaning: "expected cost of the run, USD" },
	hourlyUsd: { type: "double", meaning: "price per hour, USD" },
	provider: { type: "string", meaning: "provider", values: ["", ...PROVIDERS] },
	region: { type: "string", meaning: "region" },
	capacityType: { type: "string", meaning: "capacity type", values: ["", ...CAPACITY_TYPES] },
	instanceType: { type: "string", meaning: "instance type" },
};

/** A class, not a plain object: the evaluator then reads the fields in place instead of copying them for every rule. */
export class JobFacts {
	readonly name: string;
	readonly team: string;
	readonly project: string;
	readonly class: string;
	readonly priority: number;
	readonly critical: boolean;
	readonly gpus: number;
	readonly nodes: number;
	readonly gpusPerNode: number;
	readonly accelerators: string[];
	readonly image: string;
	readonly labels: Record<string, string>;
	readonly residency: string[];
	readonly dataGiB: number;
	readonly estimateHours: number;
	readonly maxHours: number;
	readonly hasEstimate: boolean;
	readonly hasDeadline: boolean;
	readonly hasCheckpoint: boolean;
	constructor(spec: JobSpec) {
		const { estimateMs, maxMs } = spec.duration;
		this.name = spec.name;
		this.team = spec.team;
		this.project = spec.project ?? "";
		this.class = spec.class;
		this.priority = spec.priority;
		this.critical = spec.critical;
		this.gpus = gpusOf(spec);
		this.nodes = spec.nodes;
		this.gpusPerNode = spec.resources.gpus;
		this.accelerators = spec.resources.accelerators;
		this.image = spec.image ?? "";
		this.labels = spec.labels;
		this.residency = spec.data.length === 0 ? [] : residencyOf(spec);
		this.dataGiB = spec.data.reduce((sum, d) => sum + (d.sizeGiB ?? Number.POSITIVE_INFINITY), 0);
		this.maxHours = maxMs === null ? Number.POSITIVE_INFINITY : maxMs / HOUR_MS;
		this.estimateHours = estimateMs === null ? this.maxHours : estimateMs / HOUR_MS;
		this.hasEstimate = estimateMs !== null;
		this.hasDeadline = spec.deadlineMs !== null;
		this.hasCheckpoint = spec.checkpoint !== null;
	}
}

export class QuoteFacts {
	readonly costUsd: number;
	readonly hourlyUsd: number;
	readonly provider: string;
	readonly region: string;
	readonly capacityType: string;
	readonly instanceType: string;
	constructor(quote: { costUsd: number; hourlyUsd: number; offer: Offer | null }) {
		this.costUsd = quote.costUsd;
		this.hourlyUsd = quote.hourlyUsd;
		this.provider = quote.offer?.provider ?? "";
		this.region = quote.offer?.region ?? "";
		this.capacityType = quote.offer?.capacityType ?? "";
		this.instanceType = quote.offer?.instanceType ?? "";
	}
}
