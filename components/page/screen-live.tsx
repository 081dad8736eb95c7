"use client";
import { LiveStamp } from "#components/page/live-stamp.tsx";
import { useLive } from "#components/trpc/live-updates.tsx";

/** Live status of the tab's shared connection. */
export function ScreenLive() {
	const live = useLive();
	return <LiveStamp status={live === "off" ? "stale" : live} />;
}
