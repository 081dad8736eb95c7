import { useState } from "react";
import { useTRPCClient } from "#components/trpc/client.tsx";
import type { Inputs } from "#components/trpc/outputs.ts";

export interface Step {
	id: string;
	title: string;
	outcome: "passed" | "failed" | "unknown" | "skipped";
	found: string;
	fix: string | null;
}

/** A check with streamed steps. `verdict` is null until it ends. */
export function useCheck() {
	const client = useTRPCClient();
	const [steps, setSteps] = useState<readonly Step[]>([]);
	const [running, setRunning] = useState(false);
	const [verdict, setVerdict] = useState<"passed" | "failed" | null>(null);
	const [error, setError] = useState<unknown>(null);
	const reset = () => {
		setSteps([]);
		setVerdict(null);
		setError(null);
	};
	const run = async (input: Inputs["site"]["check"]) => {
		reset();
		setRunning(true);
		let failed = false;
		try {
			for await (const step of await client.site.check.mutate(input)) {
				failed ||= step.outcome === "failed";
				setSteps((before) => [...before, step]);
			}
			setVerdict(failed ? "failed" : "passed");
		} catch (cause) {
			setError(cause);
		} finally {
			setRunning(false);
		}
	};
	return { steps, running, verdict, error, run, reset };
}
