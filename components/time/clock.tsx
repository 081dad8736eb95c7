"use client";
import { createContext, type ReactNode, useCallback, useContext, useState, useSyncExternalStore } from "react";

/**
 * One clock per page. The server sends its time so that the first render matches and a wrong browser clock does not
 * distort relative times.
 */
type Clock = { serverNowMs: number; offsetMs: number };

const ClockContext = createContext<Clock | null>(null);
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
	listeners.add(listener);
	timer ??= setInterval(() => {
		for (const each of listeners) each();
	}, 1_000);
	return () => {
		listeners.delete(listener);
		if (listeners.size > 0) return;
		clearInterval(timer);
		timer = undefined;
	};
}

/** `nowMs` must be the time of this response; use only on pages rendered per request. */
export function ClockProvider({ nowMs, children }: { nowMs: number; children: ReactNode }) {
	const [clock] = useState<Clock>(() => {
		const skew = typeof window === "undefined" ? 0 : nowMs - Date.now();
		// A small offset is network latency, not a wrong clock.
		return { serverNowMs: nowMs, offsetMs: Math.abs(skew) < 5_000 ? 0 : skew };
	});
	return <ClockContext value={clock}>{children}</ClockContext>;
}

/** A time-dependent value such as a text. Re-renders only when the result changes; `derive` must return a primitive. */
export function useTime<Value extends string | number | boolean | null>(derive: (nowMs: number) => Value): Value {
	const clock = useContext(ClockContext);
	const now = useCallback(() => derive(Date.now() + (clock?.offsetMs ?? 0)), [derive, clock]);
	const first = useCallback(() => derive(clock?.serverNowMs ?? Date.now()), [derive, clock]);
	return useSyncExternalStore(subscribe, now, first);
}
