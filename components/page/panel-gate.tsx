"use client";
import { QueryErrorResetBoundary } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { PanelBoundary } from "#components/page/error-boundary.tsx";

type PanelGateProps = {
	/** What is inside, as the subject of "could not be loaded": "The jobs". */
	what: string;
	/** A skeleton in the shape of what is inside. */
	fallback: ReactNode;
	/** Drawn in place of what failed, where telling it has no room. */
	instead?: ReactNode;
	/** Stays above what is told of a failure. */
	above?: ReactNode;
	children: ReactNode;
};

/** Around each panel that reads data: its skeleton while that is on its way, its own error and retry when it fails. */
export function PanelGate({ what, fallback, instead, above, children }: PanelGateProps) {
	return (
		<QueryErrorResetBoundary>
			{({ reset }) => (
				<PanelBoundary what={what} onRetry={reset} instead={instead} above={above}>
					<Suspense fallback={fallback}>{children}</Suspense>
				</PanelBoundary>
			)}
		</QueryErrorResetBoundary>
	);
}
