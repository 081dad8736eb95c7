"use client";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { useSettled } from "#components/ui/use-settled.ts";

const TYPING_MS = 400;
const KEY = "spillway:backtest-after-edits";
const listeners = new Set<() => void>();

function isOn(): boolean {
	try {
		return localStorage.getItem(KEY) !== "off";
	} catch {
		return true;
	}
}

function setOn(on: boolean): void {
	try {
		if (on) localStorage.removeItem(KEY);
		else localStorage.setItem(KEY, "off");
	} catch {
		// Without storage it stays on.
	}
	for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

/** Whether backtests start after edits; kept in this browser. */
export function useAutoRunSetting(): readonly [boolean, (on: boolean) => void] {
	return [useSyncExternalStore(subscribe, isOn, () => true), setOn];
}

interface AutoRun {
	source: string;
	/** The text has no errors and differs from the active version. */
	ready: boolean;
	/** The text of the shown backtest. */
	shown: string | null;
	onStart: (source: string) => void;
}

/** Starts a backtest after a pause in typing. Opening a draft starts none. */
export function useAutoRun({ source, ready, shown, onStart }: AutoRun): void {
	const [on] = useAutoRunSetting();
	const settled = useSettled(source, TYPING_MS);
	const started = useRef(source);
	const start = useRef(onStart);
	useEffect(() => {
		start.current = onStart;
	});
	// Synchronizes with a timer.
	useEffect(() => {
		if (!on || !ready || settled !== source || source === started.current) return;
		started.current = source;
		if (source !== shown) start.current(source);
	}, [on, ready, settled, source, shown]);
}
