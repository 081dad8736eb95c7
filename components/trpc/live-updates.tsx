"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { createContext, type ReactNode, useContext, useState } from "react";
import type { Change } from "#server/domain/change.ts";
import { useTRPC } from "./client.tsx";

type LiveState = "connecting" | "live" | "off";
const LiveContext = createContext<LiveState>("connecting");

/** Whether what is on the screen follows the server. */
export function useLive(): LiveState {
	return useContext(LiveContext);
}

/** One subscription per tab: what changed is read again where it is shown. */
export function LiveUpdates({ children }: { children: ReactNode }): ReactNode {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [state, setState] = useState<LiveState>("connecting");
	useSubscription(
		trpc.changes.subscriptionOptions(undefined, {
			onStarted: () => setState("live"),
			onConnectionStateChange: (s) => setState(s.state === "pending" ? "live" : "connecting"),
			onError: () => setState("off"),
			onData: (changes: Change[]) => {
				for (const topic of new Set(changes.map((c) => c.topic))) {
					for (const key of keysOf(topic)) void client.invalidateQueries({ queryKey: key });
				}
			},
		}),
	);
	const keysOf = (topic: Change["topic"]): (readonly unknown[])[] => {
		switch (topic) {
			case "job":
				return [
					trpc.job.list.pathKey(),
					trpc.job.counts.pathKey(),
					trpc.job.get.pathKey(),
					trpc.job.decisions.pathKey(),
					trpc.job.events.pathKey(),
					trpc.overview.pathKey(),
					trpc.site.pathKey(),
				];
			case "instance":
				return [trpc.instance.pathKey(), trpc.job.get.pathKey(), trpc.overview.summary.pathKey(), trpc.site.pathKey()];
			case "site":
				return [trpc.site.pathKey(), trpc.offer.pathKey()];
			case "spend":
				return [trpc.spend.pathKey(), trpc.budget.pathKey(), trpc.job.receipt.pathKey(), trpc.overview.summary.pathKey()];
			case "policy":
				return [trpc.policy.pathKey()];
			case "log":
				return [trpc.job.logs.pathKey()];
		}
	};
	return <LiveContext value={state}>{children}</LiveContext>;
}
