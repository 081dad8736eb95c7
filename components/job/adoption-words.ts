import type { Tone } from "#components/ui/chip.tsx";
import type { AdoptionState } from "#server/domain/states.ts";

/** What each state of an adoption is called, and what it means for the cluster's own job. */
export const ADOPTION_WORDS: Readonly<Record<AdoptionState, { label: string; tone: Tone; says: string }>> = {
	offered: {
		label: "offered",
		tone: "neutral",
		says: "It waits at its cluster as before, and here beside it: whichever can start it first does.",
	},
	holding: { label: "being held", tone: "accent", says: "Its cluster is asked to hold it, before a machine is bought." },
	held: { label: "held there", tone: "accent", says: "Its cluster holds it while this job runs in its place." },
	returning: { label: "going back", tone: "warn", says: "It goes back: once nothing of it runs here, its cluster lets it go on." },
	released: { label: "given back", tone: "neutral", says: "It is its cluster's again, which runs it." },
	finishing: { label: "ending there", tone: "accent", says: "It ran here to its end, which its cluster is being told." },
	finished: { label: "finished there", tone: "ok", says: "It ran here to its end, and its cluster has it down with the same outcome." },
	abandoned: { label: "ended there", tone: "neutral", says: "It came to its end at its cluster, by somebody's hand." },
};
