import type { Tone } from "#components/ui/chip.tsx";
import type { AdoptionState } from "#server/domain/states.ts";

/** Labels and explanations of adoption states. */
export const ADOPTION_WORDS: Readonly<Record<AdoptionState, { label: string; tone: Tone; says: string }>> = {
	offered: {
		label: "offered",
		tone: "neutral",
		says: "Queued at its cluster and here; it runs wherever it starts first.",
	},
	holding: { label: "holding", tone: "accent", says: "The cluster is asked to hold the job before a machine is launched." },
	held: { label: "held", tone: "accent", says: "The cluster holds the job while it runs here." },
	returning: { label: "returning", tone: "warn", says: "The cluster releases the job once it has stopped here." },
	released: { label: "returned", tone: "neutral", says: "The cluster runs the job again." },
	finishing: { label: "completing", tone: "accent", says: "The job finished here; the result is being reported to the cluster." },
	finished: { label: "completed", tone: "ok", says: "The job finished here and the cluster recorded the result." },
	abandoned: { label: "ended at cluster", tone: "neutral", says: "The job ended at its cluster." },
};
