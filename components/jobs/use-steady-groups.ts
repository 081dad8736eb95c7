"use client";
import { useState } from "react";
import type { JobView } from "#components/trpc/outputs.ts";
import { type Arrangement, heldArrangement } from "./order.ts";

type Group = { id: string; rows: readonly JobView[] };

const arrangementOf = (groups: readonly Group[]): Arrangement => groups.map((g) => ({ id: g.id, rowIds: g.rows.map((row) => row.id) }));

/**
 * Keeps row positions while `hold` is true and updates their values. A new `viewKey` is a new list. `bind` goes on the
 * element read with the mouse.
 */
export function useSteadyGroups(fresh: readonly Group[], viewKey: string, selecting: boolean) {
	const [reading, setReading] = useState(false);
	const [kept, setKept] = useState<{ key: string; arrangement: Arrangement } | null>(null);
	const hold = reading || selecting;
	const release = () => {
		setReading(false);
		setKept(null);
	};
	const bind = {
		onPointerEnter: (event: React.PointerEvent) => {
			if (event.pointerType !== "mouse") return;
			setReading(true);
			setKept((before) => before ?? { key: viewKey, arrangement: arrangementOf(fresh) });
		},
		onPointerLeave: (event: React.PointerEvent) => {
			if (event.pointerType !== "mouse" || selecting) return;
			release();
		},
	};
	const held = hold && kept?.key === viewKey ? heldArrangement(kept.arrangement, fresh) : null;
	return { groups: held?.groups ?? fresh, waiting: held?.waiting ?? 0, bind, release };
}
