"use client";
import type { Inputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { useSkip } from "./use-setup.ts";

/** Leaves a step for later. */
export function SkipButton({ step }: { step: Inputs["setup"]["skip"]["step"] }) {
	const skip = useSkip();
	return (
		<Button variant="quiet" busy={skip.isPending} onClick={() => skip.mutate({ step })}>
			Skip
		</Button>
	);
}
