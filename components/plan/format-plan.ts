import { formatSpan } from "#components/time/format-time.ts";
import type { Outputs } from "#components/trpc/outputs.ts";
import { minus } from "#components/ui/format-number.ts";

export type Study = Outputs["plan"]["get"];
export type StudyResult = NonNullable<Study["result"]>;
export type Comparison = StudyResult["comparison"];
export type Assessment = StudyResult["assessment"];
export type Headline = NonNullable<StudyResult["headline"]>;
export type Option = Comparison["options"][number];

/** Whole US dollars: "$1,234", "−$1,234". */
export function usd(value: number): string {
	return minus(`${value < 0 ? "-" : ""}$${Math.abs(Math.round(value)).toLocaleString("en-US")}`);
}

/** For axes and tight columns: "$1.2M", "$340k", "$90". */
export function shortUsd(value: number): string {
	const size = Math.abs(value);
	const sign = value < 0 ? "−" : "";
	if (size >= 999_500) return `${sign}$${(size / 1e6).toFixed(size >= 9_950_000 ? 0 : 1)}M`;
	if (size >= 9_950) return `${sign}$${Math.round(size / 1e3)}k`;
	return `${sign}$${Math.round(size).toLocaleString("en-US")}`;
}

export function span(seconds: number): string {
	return formatSpan(seconds * 1000);
}

/** "1.2 t", "340 kg", or "unknown". */
export function carbon(kg: number | null): string {
	if (kg === null) return "unknown";
	return kg >= 10_000 ? `${Math.round(kg / 1000).toLocaleString("en-US")} t` : kg >= 1000 ? `${(kg / 1000).toFixed(1)} t` : `${kg} kg`;
}

export function required(options: readonly Option[], id: string): Option {
	const found = options.find((option) => option.id === id);
	if (!found) throw new RangeError(`no option ${id}`);
	return found;
}

export function isPending(study: Pick<Study, "state"> | null | undefined): boolean {
	return study?.state === "queued" || study?.state === "running";
}
