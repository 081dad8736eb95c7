"use client";
import { QueryErrorResetBoundary } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { PanelBoundary } from "#components/page/error-boundary.tsx";

type QueryBoundaryProps = {
	/** The object of "Could not load …": "GPU demand". */
	what: string;
	/** A skeleton in the shape of the content. */
	skeleton: ReactNode;
	/** Adds a frame around errors, for content without its own panel. */
	framed?: boolean;
	children: ReactNode;
};

/** Wraps content that loads data: skeleton, error and retry. */
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
