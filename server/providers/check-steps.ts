import { DriverError } from "./driver-errors.ts";

/** The result of one check. `unknown`: the account may not look, or the provider does not report it; this is not a failure. */
export interface CheckStep {
	id: string;
	title: string;
	outcome: "passed" | "failed" | "unknown" | "skipped";
	/** What was found, or why it failed, as a sentence. */
	found: string;
	/** What to do; null if nothing. */
	fix: string | null;
}

/** @throws DriverError if the check fails */
export type Look = () => Promise<string | { unknown: string; fix?: string } | { failed: string }>;

export interface PlannedStep {
	id: string;
	title: string;
	/** What to do when it fails. */
	fix: string;
	/** If it fails, later steps are skipped. */
	decisive?: true;
	look: Look;
}

/**
 * Runs the steps in order and reports each as it ends. Errors other than DriverError are reported too, because a person is
 * waiting for the result.
 */
export async function* checkSteps(steps: readonly PlannedStep[]): AsyncGenerator<CheckStep> {
	let blocked: string | null = null;
	for (const step of steps) {
		const { id, title } = step;
		if (blocked !== null) {
			yield { id, title, outcome: "skipped", found: `Skipped, because "${blocked}" failed.`, fix: null };
			continue;
		}
		const result = await lookAt(step);
		if (result.outcome === "failed" && step.decisive) blocked = title;
		yield { id, title, ...result };
	}
}

async function lookAt({ look, fix }: PlannedStep): Promise<Pick<CheckStep, "outcome" | "found" | "fix">> {
	try {
		const found = await look();
		if (typeof found === "string") return { outcome: "passed", found, fix: null };
		if ("failed" in found) return { outcome: "failed", found: found.failed, fix };
		return { outcome: "unknown", found: found.unknown, fix: found.fix ?? null };
	} catch (error) {
		return { outcome: "failed", found: error instanceof Error ? error.message : String(error), fix };
	}
}

/** For reads that an account may lack permission for: a denial says nothing about the thing itself. */
export async function ifAllowed<T>(ask: () => Promise<T>): Promise<T | null> {
	try {
		return await ask();
	} catch (error) {
		if (error instanceof DriverError && (error.kind === "unauthorized" || NOT_SERVED.has(error.providerCode ?? ""))) return null;
		throw error;
	}
}

/** Codes of endpoints that do not support a call at all. */
const NOT_SERVED = new Set([
	"InvalidAction",
	"UnsupportedOperation",
	"UnknownOperationException",
	"NotEmulated",
	"notImplemented",
	"NotFound",
	"notFound",
]);
