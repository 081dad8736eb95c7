"use client";
import { useEffect, useState } from "react";

/** The value once it has stood still for so long. The first is there at once. */
export function useSettled<Value>(value: Value, afterMs: number): Value {
	const [settled, setSettled] = useState(value);
	// The external system is the clock.
	useEffect(() => {
		const timer = setTimeout(() => setSettled(value), afterMs);
		return () => clearTimeout(timer);
	}, [value, afterMs]);
	return settled;
}
