import { z } from "zod";
import { SpillwayError } from "#server/kernel/errors.ts";
import type { TraceJob } from "#server/simulation/replay/types.ts";
import { JsonItems } from "./json-items.ts";
import { kubernetesJob } from "./kubernetes-json.ts";
import { rejectDuplicate, tooManyRows } from "./parse-csv.ts";
import { slurmJob } from "./slurm-json.ts";
import { BadRow, TRACE_LIMITS } from "./trace-rows.ts";
import type { RowInput, RowReader, TraceInput } from "./types.ts";

/** Whether the text begins like JSON, and not like a header. */
export function isJson(text: string): boolean {
	return /^\ufeff?\s*[{[]/.test(text.slice(0, 1_000));
}

/** Jobs of Slurm's REST API (also `sacct --json`) or of `kubectl get jobs -o json`, detected per job. */
export function parseJsonTrace(input: Omit<TraceInput, "header" | "body">): { jobs: TraceJob[]; recordedStartMs: number | null } {
	const readItem = jsonRowReader(input);
	const items = new JsonItems(input.name);
	const jobs: TraceJob[] = [];
	const seen = new Map<string, number>();
	let first = Number.POSITIVE_INFINITY;
	const all = [...items.push(input.text), ...items.end()];
	if (!items.hasArray) throw missingArrayError(input.name);
	if (all.length > TRACE_LIMITS.rows) throw tooManyRows(input.name);
	for (const { text, number } of all) {
		try {
			const job = readItem(text);
			if (!job) continue;
			rejectDuplicate(seen, job.id, number);
			first = Math.min(first, job.submitMs);
			jobs.push(job);
		} catch (error) {
			if (!(error instanceof BadRow)) throw error;
			input.problems.add(number, error);
		}
	}
	for (const job of jobs) job.submitMs -= first;
	return { jobs, recordedStartMs: Number.isFinite(first) ? first : null };
}

/**
 * Reads the text of one job; `submitMs` is UTC ms. Returns null and throws as sacctRowReader does; errors also include the job's number.
 */
export function jsonRowReader(input: Pick<RowInput, "notes" | "named">): RowReader {
	let n = 0;
	return (text) => {
		n++;
		try {
			return readItem(text, input);
		} catch (error) {
			if (!(error instanceof BadRow)) throw error;
			throw new BadRow(error.column, `Job ${n} of the file: ${error.message}`, error.fix);
		}
	};
}

export function missingArrayError(name: string): SpillwayError {
	return new SpillwayError("invalid_input", `${name} is JSON without an array of jobs.`, {
		fix: "Use the response of Slurm's REST API (GET /slurmdb/v0.0.4x/jobs), of sacct --json, or of kubectl get jobs -A -o json.",
	});
}

function readItem(text: string, input: Pick<RowInput, "notes" | "named">): TraceJob | null {
	const raw = objectOf(text);
	try {
		return "metadata" in raw ? kubernetesJob(raw, input) : slurmJob(raw, input);
	} catch (error) {
		if (!(error instanceof z.ZodError)) throw error;
		const [issue] = error.issues;
		const path = issue?.path.join(".") || "row";
		throw new BadRow(path, `${path}: ${issue?.message ?? "it cannot be read"}.`, "Use the response as it came from Slurm or Kubernetes.");
	}
}

function objectOf(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		if (typeof value === "object" && value !== null) return { ...value };
	} catch {
		// Reported below.
	}
	throw new BadRow("row", "It is not valid JSON.", "Check that the file is complete.");
}
