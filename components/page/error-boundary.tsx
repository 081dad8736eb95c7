"use client";
import { Component, type ReactNode } from "react";
import { ErrorState, Forbidden } from "#components/page/states.tsx";

/** What a thrown error tells a person. The API's errors carry more than a message; see `describeError`. */
export type ErrorDescription = { kind: "failed"; detail: string; requestId: string | null } | { kind: "forbidden"; detail: string };

/** Reads a tRPC client error by its shape (`data.code`, `data.requestId`), so that the page needs no import of the client. */
export function describeError(error: unknown): ErrorDescription {
	const data = typeof error === "object" && error !== null && "data" in error ? (error.data as unknown) : null;
	const field = (name: string): string | null => {
		if (typeof data !== "object" || data === null || !(name in data)) return null;
		const value = (data as Record<string, unknown>)[name];
		return typeof value === "string" ? value : null;
	};
	const detail = error instanceof Error ? error.message : "The browser gave no reason.";
	if (field("code") === "FORBIDDEN" || field("code") === "forbidden") return { kind: "forbidden", detail };
	return { kind: "failed", detail, requestId: field("requestId") };
}

type BoundaryProps = {
	/** What is inside, as the subject of "could not be loaded": "The jobs", "This chart". */
	what: string;
	/** Called before the panel tries again: reset its query here (`useQueryErrorResetBoundary().reset`). */
	onRetry?: () => void;
	children: ReactNode;
};
type BoundaryState = { error: unknown; failed: boolean };

/** One for each panel: what fails inside is told in its place, and the rest of the page goes on. */
export class PanelBoundary extends Component<BoundaryProps, BoundaryState> {
	override state: BoundaryState = { error: null, failed: false };

	static getDerivedStateFromError(error: unknown): BoundaryState {
		return { error, failed: true };
	}

	retry = () => {
		this.props.onRetry?.();
		this.setState({ error: null, failed: false });
	};

	override render(): ReactNode {
		if (!this.state.failed) return this.props.children;
		const described = describeError(this.state.error);
		if (described.kind === "forbidden") return <Forbidden what={this.props.what} who="people with another role" />;
		return (
			<ErrorState
				title={`${this.props.what} could not be loaded`}
				detail={described.detail}
				requestId={described.requestId}
				onRetry={this.retry}
			/>
		);
	}
}
