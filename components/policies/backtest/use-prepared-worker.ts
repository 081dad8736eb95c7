"use client";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTRPC } from "#components/trpc/client.tsx";

/** Shorter than the time that an unused worker is kept. */
const AGAIN_MS = 120_000;

/** Has a backtest worker started when the editor opens, and kept while the text changes. */
export function usePreparedWorker(source: string, wanted: boolean): void {
	const trpc = useTRPC();
	const { mutate } = useMutation(trpc.backtest.prepare.mutationOptions({ onError: () => {} }));
	const lastMs = useRef(Number.NEGATIVE_INFINITY);
	// biome-ignore lint/correctness/useExhaustiveDependencies: each edit renews it.
	useEffect(() => {
		if (!wanted || performance.now() - lastMs.current < AGAIN_MS) return;
		lastMs.current = performance.now();
		mutate();
	}, [source, wanted, mutate]);
}
