/** How deep brackets may nest in a document: whatever walks over documents does so by recursion. */
export const MAX_DEPTH = 200;

/** Fields that an operation may ask for, each as often as it stands in fragments and lists. */
export const MAX_FIELDS = 10_000;
