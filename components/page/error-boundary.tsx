"use client";
import { Component, type ReactNode } from "react";
import { EmptyState, ErrorState, Forbidden } from "#components/page/states.tsx";
import { Panel } from "#components/ui/panel.tsx";

/** What a thrown error tells a person. The API's errors carry more than a message; see `describeError`. */
export type ErrorDescription =
	| { kind: "failed"; detail: string; requestId: string | null }
	| { kind: "forbidden"; detail: string; fix: string | null }
	| { kind: "not_found"; detail: string; fix: string | null };

/** Reads a tRPC client error by its shape (`data.problem`, RFC 9457), so that the page needs no import of the client. */
export function describeError(error: unknown): ErrorDescription {
	const data = fieldOf(error, "data");
	const problem = fieldOf(data, "problem");
	const text = (name: string): string | null => {
		const value = fieldOf(problem, name);
		return typeof value === "string" && value !== "" ? value : null;
	};
	const detail = text("detail") ?? byTheWay(error) ?? (error instanceof Error ? error.message : "The browser gave no reason.");
	const code = text("code") ?? String(fieldOf(data, "code") ?? "").toLowerCase();
	if (code === "forbidden" || code === "not_found") return { kind: code, detail, fix: text("fix") };
	return { kind: "failed", detail, requestId: text("requestId") };
}

/**
 * What failed before Spillway could say anything, in words of no browser's own: `fetch` fails by a TypeError where nobody answered,
 * and an answer that cannot be read by a SyntaxError, as an error page of a proxy.
 */
function byTheWay(error: unknown): string | null {
	const cause = fieldOf(error, "cause");
	if (fieldOf(error, "data")) return null;
	if (cause instanceof TypeError) return "The server could not be reached: it is stopped, or the network is.";
	if (!(cause instanceof SyntaxError)) return null;
	const status = fieldOf(fieldOf(fieldOf(error, "meta"), "response"), "status");
	const answer = typeof status === "number" ? `An answer with status ${status} came` : "An answer came";
	return `${answer} that is not Spillway's own: it is starting, or what stands before it, such as a proxy, could not reach it. Try again in a moment.`;
}

function fieldOf(value: unknown, name: string): unknown {
	return typeof value === "object" && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined;
}

type BoundaryProps = {
	/** What is inside, as the subject of "could not be loaded": "The jobs", "This chart". */
	what: string;
	/** Called before the panel tries again: reset its query here (`useQueryErrorResetBoundary().reset`). */
	onRetry?: () => void;
	/** Puts what is told instead into a panel: for what does not stand in one. */
	framed?: boolean;
	/** Drawn in place of what failed, where telling it has no room and the page tells it elsewhere. */
	instead?: ReactNode;
	/** Stays above what is told: filters, by which one comes away from what failed. */
	above?: ReactNode;
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
		if (this.props.instead !== undefined) return this.props.instead;
		return (
			<>
				{this.props.above}
				{this.props.framed ? <Panel>{this.told()}</Panel> : this.told()}
			</>
		);
	}

	told(): ReactNode {
		const described = describeError(this.state.error);
		if (described.kind === "forbidden")
			return <Forbidden what={this.props.what} who="people with another role" detail={described.detail} />;
		if (described.kind === "not_found") {
			return (
				<EmptyState icon="question" title="Not found">
					{described.detail}
				</EmptyState>
			);
		}
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
