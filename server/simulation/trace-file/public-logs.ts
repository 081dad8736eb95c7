import { momentMs } from "./sacct-times.ts";
import { BadRow, fieldAt, numberIn, splitCsv, TRACE_LIMITS, UNKNOWN_TEAM } from "./trace-rows.ts";
import type { RowInput, RowReader } from "./types.ts";

/** Public traces as downloaded, recognized by their unique columns. */
const LOG_COLUMNS = ["job_id", "gpu_num", "state", "submit_time", "duration"];
const POD_COLUMNS = ["name", "num_gpu", "gpu_milli", "creation_time", "deletion_time", "scheduled_time"];

/** SenseTime's Helios (`cluster_log.csv`) and Shanghai AI Lab's Acme (`trace_kalos.csv`, `trace_seren.csv`). Submissions are dated. */
export function isClusterLog(header: string): boolean {
	return hasAll(header, LOG_COLUMNS);
}

/** Alibaba's cluster-trace-gpu-v2023 (`openb_pod_list_*.csv`). Submissions count from the start of the trace. */
export function isPodList(header: string): boolean {
	return hasAll(header, POD_COLUMNS);
}

/** Rows of a cluster log; `submitMs` is UTC ms, and times without a zone are UTC. */
export function clusterLogReader({ header, notes }: RowInput): RowReader {
	const text = fieldsBy(header);
	return (line) => {
		const field = text(line);
		const id = idOf(field("job_id"));
		const gpus = numberIn("gpu_num", field("gpu_num"), "GPUs", TRACE_LIMITS.gpus);
		if (gpus === 0) return skip(notes, "withoutGpus");
		const durationS = field("duration") === "" ? 0 : numberIn("duration", field("duration"), "seconds", TRACE_LIMITS.seconds);
		if (durationS === 0) return skip(notes, "neverStarted");
		const submitMs = momentMs("submit_time", field("submit_time"));
		if (submitMs === null) throw new BadRow("submit_time", "submit_time is not known.", "Leave such rows out.");
		const queue = field("queue");
		return {
			...{ id, submitMs, durationMs: Math.round(durationS * 1000), gpus: Math.ceil(gpus), accelerators: [], limitMs: null },
			...{ team: field("vc") || field("type") || UNKNOWN_TEAM, user: field("user") || null, status: field("state") || null },
			...{ deadlineMs: null, deadlineKind: null },
			...(queue !== "" && { waitMs: Math.round(numberIn("queue", queue, "seconds", TRACE_LIMITS.seconds) * 1000) }),
		};
	};
}

/** Rows of a pod list: a fraction of a GPU is `gpu_milli` of a single one. */
export function podListReader({ header, notes, named }: RowInput): RowReader {
	const text = fieldsBy(header);
	return (line) => {
		const field = text(line);
		const seconds = (column: string): number => numberIn(column, field(column), "seconds", TRACE_LIMITS.seconds);
		const id = idOf(field("name"));
		const count = numberIn("num_gpu", field("num_gpu"), "GPUs", TRACE_LIMITS.gpus);
		if (count === 0) return skip(notes, "withoutGpus");
		if (field("scheduled_time") === "" || field("deletion_time") === "") return skip(notes, "neverStarted");
		const [createdS, startedS, deletedS] = [seconds("creation_time"), seconds("scheduled_time"), seconds("deletion_time")];
		if (deletedS <= startedS) return skip(notes, "neverStarted");
		if (count === 1 && numberIn("gpu_milli", field("gpu_milli"), "thousandths", 1000) < 1000) notes.fractionsRoundedUp++;
		const spec = field("gpu_spec");
		return {
			...{ id, submitMs: createdS * 1000, durationMs: (deletedS - startedS) * 1000, gpus: Math.ceil(count), limitMs: null },
			...{ accelerators: named(spec === "nan" ? "" : spec), team: field("qos") || UNKNOWN_TEAM, user: null },
			...{ status: field("pod_phase") || null, deadlineMs: null, deadlineKind: null },
			waitMs: Math.max(0, startedS - createdS) * 1000,
		};
	};
}

function hasAll(header: string, columns: readonly string[]): boolean {
	const names = namesOf(header);
	return columns.every((column) => names.includes(column));
}

function namesOf(header: string): string[] {
	return header.split(",").map((field) => field.trim().toLowerCase());
}

function fieldsBy(header: string): (line: string) => (column: string) => string {
	const names = namesOf(header);
	const at = new Map(names.map((name, i) => [name, i]));
	return (line) => {
		const fields = splitCsv(line);
		if (fields.length !== names.length)
			throw new BadRow("row", `There are ${fields.length} fields, the header has ${names.length}.`, "Download the file again.");
		return (column) => fieldAt(fields, at.get(column) ?? -1);
	};
}

function idOf(id: string): string {
	if (id === "" || id.length > TRACE_LIMITS.field) throw new BadRow("job_id", "The id is empty or too long.", "Give every job its own id.");
	return id;
}

function skip(notes: RowInput["notes"], why: "withoutGpus" | "neverStarted"): null {
	notes[why]++;
	return null;
}
