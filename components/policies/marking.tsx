"use client";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

type Marking = { /** The highlighted rule. */ marked: string | null; mark: (id: string | null) => void };

const MarkingContext = createContext<Marking>({ marked: null, mark: () => {} });

/** Links the sentences and YAML panels: hovering one highlights the other. */
export function MarkingProvider({ children }: { children: ReactNode }) {
	const [marked, mark] = useState<string | null>(null);
	const value = useMemo(() => ({ marked, mark }), [marked]);
	return <MarkingContext value={value}>{children}</MarkingContext>;
}

export const useMarking = (): Marking => useContext(MarkingContext);
