"use client";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

type Marking = { /** The rule whose sentence and lines are marked. */ marked: string | null; mark: (id: string | null) => void };

const MarkingContext = createContext<Marking>({ marked: null, mark: () => {} });

/** Sentences and YAML are panels of their own; what one points at, the other marks. */
export function MarkingProvider({ children }: { children: ReactNode }) {
	const [marked, mark] = useState<string | null>(null);
	const value = useMemo(() => ({ marked, mark }), [marked]);
	return <MarkingContext value={value}>{children}</MarkingContext>;
}

export const useMarking = (): Marking => useContext(MarkingContext);
