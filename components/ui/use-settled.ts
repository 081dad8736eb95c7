"use client";
import { useEffect, useState } from "react";

/** Debounces a value; the first one is immediate. */
export function useSettled<Value>(value: Value, afterMs: number): Value {
	const [settled, setSettled] = useState(value);
	// Synchronizes with a timer.
	useEffect(() => {
		const timer = setTimeout(() => setSettled(value), afterMs);
		return () => clearTimeout(timer);
	}, [value, afterMs]);
	return settled;
}
