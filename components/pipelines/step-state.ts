import type { Tone } from "#components/ui/chip.tsx";

type Counts = Readonly<Record<"waiting" | "submitted" | "succeeded" | "failed" | "skipped" | "cancelled", number>>;

/** Combined state of a step's runs. */
export function stepStateOf({ counts, running }: { counts: Counts; running: number }): { label: string; tone: Tone } {
	if (running > 0) return { label: "running", tone: "accent" };
	if (counts.submitted > 0) return { label: "pending", tone: "warn" };
	if (counts.waiting > 0) return { label: "waiting", tone: "neutral" };
	if (counts.failed > 0) return { label: "failed", tone: "risk" };
	if (counts.cancelled > 0) return { label: "cancelled", tone: "neutral" };
	return counts.succeeded > 0 ? { label: "succeeded", tone: "ok" } : { label: "skipped", tone: "neutral" };
}

const TONES: Readonly<Record<string, Tone>> = { running: "accent", cancelling: "warn", succeeded: "ok", failed: "risk" };

export function pipelineTone(state: string): Tone {
	return TONES[state] ?? "neutral";
}
