"""From runs to drafts: what happened often and well becomes a proposal."""
