"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { usePathname } from "next/navigation";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { CHANGE_TOPICS, type Change } from "#server/domain/change.ts";
import { changedKeys } from "./changed-keys.ts";
import { useTRPC } from "./client.tsx";
import { isLongList } from "./long-list.ts";
import { MissedTopics } from "./missed-topics.ts";
import { takePrefetch } from "./prefetched-screens.ts";

type LiveState = "connecting" | "live" | "off";
const LiveContext = createContext<LiveState>("connecting");

/** True if the screen is live. */
export function useLive(): LiveState {
	return useContext(LiveContext);
}

/** Minimum refetch interval, so that refetches complete even under many changes. */
const READ_EVERY_MS = 700;

/** A long list is refetched page by page, which takes longer than READ_EVERY_MS. */
const READ_LONG_EVERY_MS = 15_000;

/** Runs immediately, then at most every `everyMs` with the changes collected in between. */
function useGathered<Item>(everyMs: number, run: (items: ReadonlySet<Item>) => void): (items: Iterable<Item>) => void {
	const pending = useRef<{ items: Set<Item>; timer: ReturnType<typeof setTimeout> | null }>({ items: new Set(), timer: null });
	const flush = () => {
		const { items } = pending.current;
		pending.current = { items: new Set(), timer: items.size > 0 ? setTimeout(flush, everyMs) : null };
		if (items.size > 0) run(items);
	};
	return (items) => {
		for (const item of items) pending.current.items.add(item);
		if (pending.current.timer === null) flush();
	};
}

/** One subscription per tab that refetches changed data on screen. `drawnAtMs`: server time. */
export function LiveUpdates({ drawnAtMs, children }: { drawnAtMs: number; children: ReactNode }): ReactNode {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [state, setState] = useState<LiveState>("connecting");
	// A re-rendered page is already subscribed.
	const [sinceMs] = useState(drawnAtMs);
	const wasLost = useRef(false);
	const [missed] = useState(() => new MissedTopics());
	const readAgain = useGathered<Change["topic"]>(READ_EVERY_MS, (topics) => {
		for (const topic of topics)
			for (const queryKey of changedKeys(trpc, topic))
				void client.invalidateQueries({ queryKey, predicate: (query) => !isLongList(query) });
	});
	const readLongAgain = useGathered<Change["topic"]>(READ_LONG_EVERY_MS, (topics) => {
		for (const topic of topics)
			for (const queryKey of changedKeys(trpc, topic)) void client.invalidateQueries({ queryKey, predicate: isLongList });
	});
	useSubscription(
		trpc.changes.subscriptionOptions(
			{ sinceMs },
			{
				onStarted: () => {
					setState("live");
					// Changes while disconnected were missed.
					if (wasLost.current) {
						missed.record(CHANGE_TOPICS, performance.now());
						void client.invalidateQueries();
					}
					wasLost.current = false;
				},
				onConnectionStateChange: (s) => {
					setState(s.state === "pending" ? "live" : "connecting");
					if (s.state === "connecting" && s.error) wasLost.current = true;
				},
				onError: () => setState("off"),
				onData: (changes: Change[]) => {
					const topics = changes.map((c) => c.topic);
					missed.record(topics, performance.now());
					readAgain(topics);
					readLongAgain(topics);
				},
			},
		),
	);
	const path = usePathname();
	const readMissed = useRef(readAgain);
	useEffect(() => {
		readMissed.current = readAgain;
	});
	// A screen that was rendered ahead may lack changes that arrived before it was opened.
	useEffect(() => {
		const renderedMs = takePrefetch(path);
		if (renderedMs !== null) readMissed.current(missed.since(renderedMs));
	}, [path, missed]);
	return <LiveContext value={state}>{children}</LiveContext>;
}
