"use client";
import { QueryErrorResetBoundary } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { PanelBoundary } from "#components/page/error-boundary.tsx";

type PanelGateProps = {
	/** The object of "Could not load …": "jobs". */
	what: string;
	/** A skeleton in the shape of the content. */
	fallback: ReactNode;
	/** Shown instead of the error when there is no room for it. */
	instead?: ReactNode;
	/** Stays above an error. */
	above?: ReactNode;
	children: ReactNode;
};

/** Wraps a panel that loads data: skeleton, error and retry. */
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
