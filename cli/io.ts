/** Everything through which a command meets the world; tests have their own. */
export interface Io {
	out(text: string): void;
	err(text: string): void;
	/** Resolves when what was printed is on its way; absent where printing never falls behind. */
	drained?(): Promise<void>;
	/** Width of the terminal; null when stdout is none. */
	columns: number | null;
	/** Whether stderr is a terminal, on which one line may be drawn over and over. */
	progress: boolean;
	colour: boolean;
	env: Readonly<Record<string, string | undefined>>;
	cwd: string;
	nowMs(): number;
	/** Asks a person on the terminal; absent without one. `secret` does not show what is typed. */
	ask?(question: string, options?: { secret?: boolean }): Promise<string>;
	readStdin(limitBytes: number): Promise<string>;
	/** Resolves early when the signal is aborted. */
	sleep(ms: number): Promise<void>;
	/** Aborted by Ctrl-C. */
	signal: AbortSignal;
}
