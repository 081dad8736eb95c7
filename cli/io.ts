/** All input and output of a command; tests provide their own. */
export interface Io {
	out(text: string): void;
	err(text: string): void;
	/** Resolves when the output is flushed; absent when printing never falls behind. */
	drained?(): Promise<void>;
	/** Width of the terminal; null when stdout is not one. */
	columns: number | null;
	/** Whether stderr is a terminal, where one line can be redrawn. */
	progress: boolean;
	color: boolean;
	env: Readonly<Record<string, string | undefined>>;
	cwd: string;
	nowMs(): number;
	/** Asks a person on the terminal; absent without one. `secret` hides the input. */
	ask?(question: string, options?: { secret?: boolean }): Promise<string>;
	readStdin(limitBytes: number): Promise<string>;
	/** Resolves early when the signal is aborted. */
	sleep(ms: number): Promise<void>;
	/** Aborted by Ctrl-C. */
	signal: AbortSignal;
}
