import type { Reason } from "#server/domain/reasons.ts";
import { sentenceOf } from "#server/domain/sentences.ts";

/** A reason in a response: the code for programs, the sentence for people. */
export interface ReasonView {
	code: Reason["code"];
	message: string;
	facts: Reason["facts"];
}

export function reasonView(reason: Reason): ReasonView {
	return { code: reason.code, message: sentenceOf(reason), facts: reason.facts };
}

/** ISO 8601 in UTC. */
export function iso(at: Date | null): string | null {
	return at?.toISOString() ?? null;
}
