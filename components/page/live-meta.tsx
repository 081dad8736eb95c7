"use client";
import { LiveStamp } from "#components/page/live-stamp.tsx";
import { useLive } from "#components/trpc/live-updates.tsx";

const STATUS = { live: "live", connecting: "connecting", off: "stale" } as const;

/** Live status next to a screen title. */
export function LiveMeta() {
	return <LiveStamp status={STATUS[useLive()]} />;
}
