"use client";
import { QueryErrorResetBoundary } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { PanelBoundary } from "#components/page/error-boundary.tsx";

type QueryBoundaryProps = {
	/** The subject of "could not be loaded": "The demand for GPUs". */
	what: string;
	/** The shape of what is on its way. */
	skeleton: ReactNode;
	/** It stands in no panel of its own, so that a failure needs a frame. */
	framed?: boolean;
	children: ReactNode;
};

/** Around what reads from the server: its skeleton until the answer is there, and when it fails what failed, with a way to try again. */
export function QueryBoundary({ what, skeleton, framed = false, children }: QueryBoundaryProps) {
	return (
		<QueryErrorResetBoundary>
			{({ reset }) => (
				<PanelBoundary what={what} onRetry={reset} framed={framed}>
					<Suspense fallback={skeleton}>{children}</Suspense>
				</PanelBoundary>
			)}
		</QueryErrorResetBoundary>
	);
}
