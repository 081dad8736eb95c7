"use client";
import { LiveStamp } from "#components/page/live-stamp.tsx";
import { useLive } from "#components/trpc/live-updates.tsx";

/** The stamp of a screen that follows the server by the tab's one live connection. */
export function ScreenLive() {
	const live = useLive();
	return <LiveStamp status={live === "off" ? "stale" : live} />;
}
