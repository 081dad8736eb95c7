/** The policy in force of this installation; there is one for now. */
export const ACTIVE_POLICY = { name: "default" };

/** The id of a line of the YAML in the page. */
export const lineAnchor = (line: number): string => `policy-line-${line}`;
